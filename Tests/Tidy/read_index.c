// Prints the references that the compiler has recorded of the package: a line per occurrence of a symbol in a file
// below ROOT. Tabs separate file, module, line, roles, kind, subkind, properties, USR, name, and what the symbol
// belongs to (ROLES=USR each).
//
// usage: read_index STORE ROOT
#include <indexstore/indexstore.h>
#include <stdio.h>
#include <string.h>

static indexstore_t store;
static const char *root;
static char path[4096];
static char module[256];

static void print(indexstore_string_ref_t text) { fwrite(text.data, 1, text.length, stdout); }

static void copy(char *to, size_t size, indexstore_string_ref_t text) {
    snprintf(to, size, "%.*s", (int)text.length, text.data);
}

static bool relation(void *context, indexstore_symbol_relation_t one) {
    printf("\t%llx=", (unsigned long long)indexstore_symbol_relation_get_roles(one));
    print(indexstore_symbol_get_usr(indexstore_symbol_relation_get_symbol(one)));
    return true;
}

static bool occurrence(void *context, indexstore_occurrence_t one) {
    unsigned line, column;
    indexstore_occurrence_get_line_col(one, &line, &column);
    indexstore_symbol_t symbol = indexstore_occurrence_get_symbol(one);
    printf("%s\t%s\t%u\t%llx\t%d\t%d\t%llx\t", path + strlen(root) + 1, module, line,
           (unsigned long long)indexstore_occurrence_get_roles(one), indexstore_symbol_get_kind(symbol),
           indexstore_symbol_get_subkind(symbol), (unsigned long long)indexstore_symbol_get_properties(symbol));
    print(indexstore_symbol_get_usr(symbol));
    putchar('\t');
    print(indexstore_symbol_get_name(symbol));
    indexstore_occurrence_relations_apply_f(one, NULL, relation);
    putchar('\n');
    return true;
}

static bool dependency(void *context, indexstore_unit_dependency_t one) {
    if (indexstore_unit_dependency_get_kind(one) != INDEXSTORE_UNIT_DEPENDENCY_RECORD) return true;
    char file[4096], name[4096];
    copy(file, sizeof file, indexstore_unit_dependency_get_filepath(one));
    if (strcmp(file, path) != 0) return true;
    copy(name, sizeof name, indexstore_unit_dependency_get_name(one));
    indexstore_error_t error = NULL;
    indexstore_record_reader_t record = indexstore_record_reader_create(store, name, &error);
    if (!record) return true;
    indexstore_record_reader_occurrences_apply_f(record, NULL, occurrence);
    indexstore_record_reader_dispose(record);
    return true;
}

static bool is_of_package(indexstore_unit_reader_t unit) {
    if (indexstore_unit_reader_is_system_unit(unit) || !indexstore_unit_reader_has_main_file(unit)) return false;
    copy(path, sizeof path, indexstore_unit_reader_get_main_file(unit));
    copy(module, sizeof module, indexstore_unit_reader_get_module_name(unit));
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && path[length] == '/';
}

static bool unit(void *context, indexstore_string_ref_t name) {
    char copied[4096];
    copy(copied, sizeof copied, name);
    indexstore_error_t error = NULL;
    indexstore_unit_reader_t reader = indexstore_unit_reader_create(store, copied, &error);
    if (!reader) return true;
    if (is_of_package(reader)) indexstore_unit_reader_dependencies_apply_f(reader, NULL, dependency);
    indexstore_unit_reader_dispose(reader);
    return true;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: read_index STORE ROOT\n");
        return 2;
    }
    indexstore_error_t error = NULL;
    root = arguments[2];
    store = indexstore_store_create(arguments[1], &error);
    if (!store) {
        fprintf(stderr, "%s: %s\n", arguments[1], indexstore_error_get_description(error));
        return 1;
    }
    indexstore_store_units_apply_f(store, 0, NULL, unit);
    return 0;
}
