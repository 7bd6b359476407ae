"""Rules about English, in comments, in pages and in what the programs say."""

import re

from files import TOKEN, comments, named, prose, text
from rule import rule

BANNED = re.compile(r"\b(?:anew|beside|whoever|whom|lets go|of our own|upon)\b", re.I)
PERSONS = re.compile(r"\b(?:he|him|his|himself)\b", re.I)
BEGINNINGS = re.compile(r"(?:^|[.:!?] )(Who|What|Whoever|That) (?!is\?)")


def passages():
    """Each comment and each paragraph of a page: (place, words), code in backticks left out."""
    for name in named(("Sources", "Tests", "Examples", "Benchmarks"), ".swift", ".c", ".h"):
        for line, words in comments(name):
            yield f"{name}:{line}", re.sub(r"`[^`]*`", "code", words)
    for name in named("", ".md"):
        for line, words in prose(name):
            yield f"{name}:{line}", re.sub(r"`[^`]*`", "code", words)


def messages():
    """What strings of the programs say: those with a blank between words."""
    for name in named("Sources", ".swift"):
        for found in TOKEN.finditer(text(name)):
            if '"' in found.group()[:4] and re.search(r"[a-z] [a-z]", found.group()):
                yield f"{name}:{text(name).count(chr(10), 0, found.start()) + 1}", found.group()


def matches(pattern, places):
    for place, words in places:
        for found in pattern.finditer(words):
            yield place, words[max(0, found.start() - 20) : found.end() + 30]


@rule("he, him, his, himself")
def persons():
    yield from matches(PERSONS, passages())
    yield from matches(PERSONS, messages())


@rule("words that have a plainer one: anew, beside, whoever, whom, lets go, of our own, upon")
def banned():
    yield from matches(BANNED, passages())
    yield from matches(BANNED, messages())


@rule("sentences that begin with Who, What, Whoever or That")
def beginnings():
    return matches(BEGINNINGS, passages())


@rule("sentences of over 30 words")
def long_sentences():
    for place, words in passages():
        for sentence in re.split(r"(?<=[.!?:;])\s+", words):
            if len(sentence.split()) > 30:
                yield place, f"{len(sentence.split())} words: {sentence[:60]}"
