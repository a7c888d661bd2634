"""The commands that are measured: notesdb's, and those of others that do the same work."""
import shutil

FIRST = ("select id, title, estimate, due from task where status='done' and estimate>=3 "
         "and due is not null order by due limit 50")
SECOND = "select status, count(*) from task group by status"
MLR = "$status==\"done\" && $estimate>=3 && is_not_empty($due)"
JQ = ("[inputs|select(.status==\"done\" and .estimate>=3 and .due!=null)]|sort_by(.due)|.[:50][]"
      "|{id,title,estimate,due}")

FIRST_FLAGS = ("--where 'status = done' --where 'estimate >= 3' --where 'due is_not_empty' --sort due "
               "--limit 50 --select id,title,estimate,due -o jsonl")


def notesdb_first(bench, workspace, more=""):
    return "%s query tasks %s --root %s %s" % (bench.program("notesdb"), FIRST_FLAGS, workspace, more)


def notesdb_second(bench, workspace):
    return "%s aggregate tasks --group-by status -o jsonl --root %s" % (
        bench.program("notesdb"), workspace)


def notesdb_links(bench, workspace):
    """The links of all notes, of which 50 rows are shown."""
    return "%s query tasks --select _links --limit 50 -o jsonl --root %s" % (bench.program("notesdb"), workspace)


def served(bench, workspace):
    """Through a server: the same words within a second, which it knows the answer to, and words that
    name a time, which it answers again each time."""
    return {
        "served first": notesdb_first(bench, workspace),
        "served first, again": notesdb_first(bench, workspace, "--where 'due < today+99999d'"),
        "nothing": bench.program("bench_nothing"),
    }


def questions(bench, count):
    """{name: command} of the questions that every peer can answer."""
    workspace = bench.folder / ("w%d" % count)
    floor = bench.program("bench_floor")
    base, indexed = bench.folder / ("s%d.db" % count), bench.folder / ("s%d-indexed.db" % count)
    table = bench.folder / ("t%d" % count)
    return {
        "nothing": bench.program("bench_nothing"),
        "notesdb first": notesdb_first(bench, workspace),
        "notesdb second": notesdb_second(bench, workspace),
        "notesdb first, no cache": notesdb_first(bench, workspace, "--no-cache"),
        "notesdb search": "%s search lock --limit 10 --root %s" % (bench.program("notesdb"), workspace),
        "notesdb links": notesdb_links(bench, workspace),
        "notesdb check": "%s check --root %s" % (bench.program("notesdb"), workspace),
        "stat floor": "%s stat %s/tasks" % (floor, workspace),
        "known floor": "%s known %s/tasks %d" % (floor, workspace, count),
        "read floor": "%s read %s/tasks" % (floor, workspace),
        "git status": "git -C %s status --porcelain" % workspace,
        "rg -l": "rg -l '^status: done' %s/tasks" % workspace,
        "sqlite3 first, indexed": "sqlite3 -json %s \"%s\"" % (indexed, FIRST),
        "sqlite3 first": "sqlite3 -json %s \"%s\"" % (base, FIRST),
        "sqlite3 second, indexed": "sqlite3 -json %s \"%s\"" % (indexed, SECOND),
        "sqlite3 second": "sqlite3 -json %s \"%s\"" % (base, SECOND),
        "mlr": "mlr --icsv --ojsonl filter '%s' then sort -f due then head -n 50 then cut -f "
               "id,title,estimate,due %s.csv" % (MLR, table),
    }


def slow_questions(bench, count, node_modules):
    """Those that take a second and more; a few runs are enough."""
    table = bench.folder / ("t%d" % count)
    found = {
        "jq": "jq -cn '%s' %s.jsonl" % (JQ, table),
        "recsel": "recsel -t Task -e \"status = 'done' && estimate >= 3 && #due\" -S due "
                  "-p id,title,estimate,due %s.rec" % table,
    }
    if node_modules:
        found["gray-matter"] = "node %s/ask.mjs %s/w%d/tasks" % (node_modules, bench.folder, count)
    return {name: command for name, command in found.items()
            if shutil.which(command.split()[0]) is not None}


def present(commands):
    """Without the peers that this machine does not have."""
    kept = {}
    for name, command in commands.items():
        if shutil.which(command.split()[0]):
            kept[name] = command
        else:
            print("   no %s here: left out" % command.split()[0])
    return kept
