"""Other readers of YAML: PyYAML, and in children with a timeout libfyaml (fy-tool) and the `yaml` package of npm.

Each is asked for two things. `typed`: the value of a text as Python has it, as a user of that reader sees it. `tree`: the
text's structure with every scalar as it is written, since readers differ in what a plain word means: a list of pairs
for a map, a list for a list, a Scalar for a scalar. REFUSED where the reader refuses the text, UNSURE where it hangs,
or where there is something in it that we do not compare (anchors, aliases, tags, several documents).
"""

import collections
import json
import os
import re
import shutil
import subprocess

try:
    import yaml
except ImportError:
    yaml = None

REFUSED, UNSURE = "refused", "unsure"
LONGEST = 20  # seconds
Scalar = collections.namedtuple("Scalar", "text is_plain")

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "0": "\0", "\\": "\\"}

NODE_SCRIPT = r"""
const { parseDocument, parseAllDocuments, isMap, isSeq, isScalar } = require(process.argv[1] + '/yaml');
function tree(node) {
  if (node === null) return { s: '', p: true };
  if (node.anchor || node.tag && !/^tag:yaml.org,2002:(str|map|seq)$/.test(node.tag)) throw 'unsure';
  if (isMap(node)) return { m: node.items.map(pair => [tree(pair.key), tree(pair.value)]) };
  if (isSeq(node)) return node.items.map(tree);
  if (isScalar(node)) return { s: String(node.value), p: node.type === 'PLAIN' };
  throw 'unsure';
}
function read(text, manner) {
  if (manner === 'tree') {
    const all = parseAllDocuments(text, { schema: 'failsafe', logLevel: 'silent' });
    if (all.length > 1) return 'unsure';
    if (all.some(each => each.errors.length)) return 'refused';
    try { return tree(all[0].contents); } catch (why) { return 'unsure'; }
  }
  const document = parseDocument(text, { logLevel: 'silent' });
  return document.errors.length ? 'refused' : { value: document.toJS() };
}
const { manner, texts } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(text => read(text, manner))));
"""


class Child:
    """A reader that is a program: what it prints, or UNSURE if that takes too long."""

    def ask(self, words, given, seconds=LONGEST):
        try:
            return subprocess.run(words, input=given, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None


class Libfyaml(Child):
    name = "libfyaml"

    @staticmethod
    def is_here():
        return shutil.which("fy-tool") is not None

    def typed(self, texts):
        for tree in self.tree(texts):
            yield tree if isinstance(tree, str) else {"value": value_of(tree)}

    def tree(self, texts):
        for text in texts:
            done = self.ask(["fy-tool", "--testsuite", "-"], text.encode())
            if done is None:
                yield UNSURE
            elif done.returncode != 0:
                yield REFUSED
            else:
                yield tree_of(done.stdout.decode(errors="replace"))


def meaning(scalar):
    """What a scalar is in the core set of YAML 1.2."""
    text = scalar.text
    if not scalar.is_plain:
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if re.fullmatch(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", text):
        return int(text, 0 if text.startswith("0") and len(text) > 1 and text[1] in "ox" else 10)
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", text):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def value_of(tree):
    if isinstance(tree, Scalar):
        return meaning(tree)
    if isinstance(tree, list):
        return [value_of(each) for each in tree]
    return {str(value_of(key)): value_of(each) for key, each in tree["map"]}


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found.group(1), found.group(0)), text)


def tree_of(events):
    """The tree that events in the notation of the yaml-test-suite tell of."""
    lines = [line for line in events.split("\n") if line]
    if sum(line.startswith("+DOC") for line in lines) != 1:
        return UNSURE
    position = 0

    def node():
        nonlocal position
        line = lines[position]
        position += 1
        if re.match(r"=ALI|(\+MAP|\+SEQ|=VAL)( \{\}| \[\])? [&<]", line):
            raise ValueError(line)
        if line.startswith("=VAL "):
            return Scalar(unescaped(line[6:]), line[5] == ":")
        items = []
        while not lines[position].startswith(("-MAP", "-SEQ")):
            items.append((node(), node()) if line.startswith("+MAP") else node())
        position += 1
        return {"map": items} if line.startswith("+MAP") else items

    position = next(number for number, line in enumerate(lines) if line.startswith("+DOC")) + 1
    try:
        return node()
    except (ValueError, IndexError):
        return UNSURE


class Npm(Child):
    name = "npm yaml"
    at_once = 100

    def __init__(self, folder):
        self.folder = folder

    def ask_all(self, texts, manner):
        for start in range(0, len(texts), self.at_once):
            some = texts[start:start + self.at_once]
            done = self.ask(["node", "-e", NODE_SCRIPT, self.folder],
                            json.dumps({"manner": manner, "texts": some}).encode(), 5 * LONGEST)
            yield from [UNSURE] * len(some) if done is None or done.returncode != 0 else json.loads(done.stdout)

    def typed(self, texts):
        return self.ask_all(texts, "typed")

    def tree(self, texts):
        return (self.known(each) for each in self.ask_all(texts, "tree"))

    def known(self, told):
        if isinstance(told, str):
            return told
        if isinstance(told, list):
            return [self.known(each) for each in told]
        if "m" in told:
            return {"map": [(self.known(key), self.known(value)) for key, value in told["m"]]}
        return Scalar(told["s"], told["p"])


class PyYaml:
    """A reader of YAML 1.1: only what a text means to it is asked, since it refuses much that is right today."""

    name = "PyYAML"

    def typed(self, texts):
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for text in texts:
            try:
                yield {"value": yaml.load(text, loader)}
            except (yaml.YAMLError, ValueError):
                yield REFUSED


def npm_folder(program):
    """node_modules with the package `yaml`: where NODE_PATH says, or where the conformance suite has put it."""
    for folder in (*os.environ.get("NODE_PATH", "").split(":"), os.path.join(os.path.dirname(program), "../conformance/node_modules")):
        if folder and os.path.isdir(os.path.join(folder, "yaml")):
            return os.path.abspath(folder)
    return None


def found(program):
    """(those of this machine, the names of the others)"""
    readers = {"libfyaml": Libfyaml() if Libfyaml.is_here() else None, "npm yaml": None, "PyYAML": PyYaml() if yaml else None}
    folder = npm_folder(program)
    if folder and shutil.which("node"):
        readers["npm yaml"] = Npm(folder)
    return [each for each in readers.values() if each], [name for name, each in readers.items() if not each]
