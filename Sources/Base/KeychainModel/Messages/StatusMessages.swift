/// The sentence for every status. Its parts are generated from the table of statuses.
package enum StatusMessages {}
