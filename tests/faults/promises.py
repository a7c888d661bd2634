"""What docs/reliability.md says: of each part of the tests its dose and its sentence, and which of them prove which promise.

tools/reliability runs the parts in the order given here and writes the page. The words in braces are figures of the part.
"""

# Chapters of the page: what is promised, and of each part its test, its dose at scale 1 and what is said of it.
CHAPTERS = [
    ("What was acknowledged stays, whatever breaks", [
        ("sweep", 5000, "Calls made to fail, or the program killed there, one at a time: {points} of {of} points over "
         "{commands} commands, {kills} of them kills. Rows in neither the state before nor the one after: {broken} of {points}."),
        ("double_faults", 5000, "Two faults, the second while the first one was being handled: {pairs} pairs over {commands} "
         "commands, {kills} with a kill. Rows in neither the state before nor the one after: {broken} of {pairs}; a row kept "
         "once more as a conflict copy, where it could not be found out whose it was: {copies}."),
        ("memory", 10000, "Requests for memory that were refused, one alone or with all after it: {points} of {of} points over "
         "{commands} commands; ended by the C++ library, as what has none at its very start is: {aborted}. "
         "Rows in neither the state before nor the one after: {broken} of {points}. With every write halved all commands did their work."),
        ("starved", 3000, "Servers that for a moment got no more memory than they had, in the middle of a conversation with edits "
         "from outside: {conversations}; requests that were told so: {starved}. Servers that ended, requests without their one "
         "answer, changes told of and not made, or answers afterwards other than the files': {broken} of {conversations}."),
        ("kill_loop", 300, "Kills at random moments, four servers writing: {kills}. Acknowledged writes lost or rows broken: "
         "{broken} of {acknowledged}."),
        ("lost_writes", 3000, "Power cuts of a simulated disk, which loses, halves or zeroes what was not synced, in any "
         "combination: {states} states of the disk after {cuts} cuts in {commands} commands. Acknowledged changes lost or rows "
         "in neither state: {broken} of {states}."),
        ("power_cuts", 30, "Power cuts of real file systems: {cuts} ({by_file_system}; not on this machine: {missing}). "
         "Acknowledged writes lost: {broken} of {acknowledged}."),
        ("disk_full", 5, "Checks on a full disk, by bytes and by inodes: {checks}. Not as promised: {broken} of {checks}."),
        ("refusals", 1, "Commands that met what they may not do or have no room for, of {obstacles} kinds (immutable rows and "
         "folders, read-only mounts, other owners, limits of file size, descriptors and memory): {tried}, of which {refused} were "
         "refused. Neither done nor refused in words with every row as it was: {broken} of {tried}. Not on this machine: {missing}."),
        ("store_gone", 1000, "Removals of `.notesdb`, of what lies in it and of the cache while servers and commands write: "
         "{removals}; changes acknowledged meanwhile {acknowledged}. Lost, half-written, or answered otherwise without it: "
         "{broken} of {acknowledged}."),
        ("undoing", 5000, "Changes taken back, one after the other, by commands and servers, after kills too: {changes}. "
         "Workspaces that were not byte for byte, mode for mode as before: {broken} of {changes}."),
        ("washing", 200, "Deletions in small trashes that batches then write to until they are full or refuse: {deletions}, "
         "with {batches} batches. Gone, or refused without a word of why: {broken} of {deletions}."),
        ("price", 400, "What it costs: a durable update of a row by a server takes {ours_us} us on ext4, a write, a sync, a "
         "rename and a sync of the folder alone {bare_us} us: {ratio} times, without the {ping_us} us that asking a server for "
         "nothing takes (allowed: {allowed}; medians of {pairs} pairs, interleaved). In the system's folder for temporary files: {ours_here_us} us and {bare_here_us} us, {ratio_here} times; in "
         "memory, where a sync is nearly nothing: {ours_in_memory_us} us and {bare_in_memory_us} us."),
    ]),
    ("Other programs write too", [
        ("races", 20000, "Saves by other programs while two servers change the same row: {saves}; ours meanwhile: {ours}. Saves "
         "destroyed or rows not whole: {broken} of {saves}; found in the store and not in the row: {late}; the row seen in the "
         "microseconds between our exchange and the exchange back: {glimpses} times."),
        ("outside_edits", 200, "Edits by others, of {kinds} kinds, with and without inotify: {edits} ({by_file_system}; not on "
         "this machine: {missing}). Not in the answer to the next query, or, for the two kinds of which the kernel tells "
         "nothing, within three seconds: {broken} of {edits}."),
        ("git_beside", 1000, "Checkouts of another branch while two servers write, by which git rewrites rows beside theirs: "
         "{checkouts}; writes meanwhile {writes}. Checkouts that failed, rows that were not as their branch has them, or changes "
         "that git knows of and nobody made: {broken} of {checkouts}."),
        ("waits", 60, "Writers stopped in the middle, with the lock in their hand: {stops}. Others read meanwhile, and wrote or "
         "were told `busy` ({busy} times), after {slowest_s} s at worst. Otherwise, or left in neither state when the stopped one "
         "went on: {broken} of {stops}."),
        ("histories", 50000, "Operations of {clients} clients at once, checked for a legal order: {operations}, {writes} of "
         "them writes and {refused} refused as stale. Anomalies: {broken} of {operations}."),
        ("soak", 600, "Everything at once for {seconds} s: {clients} clients, nine questions to one write, an editor, `git commit`, "
         "`sync` with another clone, kills, and a disk that is {disk} ({counts}). Questions {questions} ({questions_time}), writes "
         "{writes} ({writes_time}), refused {refused}; writes of one client {per_client}; memory of the server after warming up and "
         "at the end: {memory}. Answers that were not so at any moment between question and answer, acknowledged writes lost, "
         "refusals without a reason, waits over 20 s, and what did not agree at the end: {broken}."),
    ]),
    ("An answer is what the files say", [
        ("questions", 10000, "Questions of chance over every kind of column and every operator, with edits from outside in "
         "between, answered by a server and by commands and held against an evaluator that shares nothing with them: "
         "{questions}. Answers with a wrong total, row, order or value: {broken} of {questions}."),
    ]),
    ("What is broken is named, and harms nothing else", [
        ("damage", 50, "Rows damaged in {kinds} ways, alone and three in ten: {damaged}. Not named by `check`, told as if nothing "
         "were wrong, changed, or a good row named or told otherwise: {broken} of {damaged}."),
        ("odd_folders", 15, "Things in a folder that are no files (pipes, sockets, devices, links, folders, a sparse tebibyte): "
         "{things}. Questions asked of it: {questions}, the median of each at most {longer_ms} ms longer than without them "
         "(allowed: 50). Answered otherwise, later, or with something changed: {broken} of {questions}."),
    ]),
    ("An edit changes its field and nothing else", [
        ("foreign_bytes", 0, "Texts of the corpora, every field of each set to what it is and to something else: {texts} texts, "
         "{fields} fields, {edits} edits; {unreadable} texts and {untouchable} fields are refused with a reason. Unrelated bytes "
         "changed: {broken} of {edits} edits."),
        ("attributes", 1, "Rows of every combination of mode, owner, attributes, access list, line ends, mark and last line: "
         "{combinations}; edits and undos of them: {edits}. With another byte or attribute changed: {broken} of {edits}."),
        ("strings", 100000, "Strings, {hostile} hostile ones and the rest of chance, each as a value, an item and a key: "
         "{strings}, read back by {readers}. Differences: {broken} of {readings} readings."),
        ("readers", 5000, "Texts, those of the corpora and mutations of them, read by us and by {readers}: {texts}; taken by us "
         "{taken}, of these read otherwise by another {differences}; refused by another and taken by us {overtaken}. Broken: "
         "{broken} of {texts}."),
        ("yaml_suite", 0, "Invalid documents of the yaml-test-suite: {invalid}, refused {invalid_refused}, taken without a word "
         "{broken}. Valid ones: {valid}; read exactly {valid_read}, said not to be read {valid_not_read}, read otherwise "
         "{read_otherwise}."),
    ]),
    ("The same folder gives the same answer", [
        ("environments", 5, "Answers in {environments} environments (locales, time zones, users, clocks, file systems and so on), "
         "to {commands} commands each: {answers}. With another byte than in a plain one: {broken} of {answers}. Not on this "
         "machine: {missing}."),
    ]),
    ("Hostile input comes to nothing", [
        ("escapes", 100000, "Hostile ids tried: {ids}, with {swaps} swaps of a folder for a link. Read, changed or told outside "
         "the workspace: {broken} of {ids}."),
        ("limits", 1, "Files and messages that are too large, too deep or too many in themselves: {shapes}; refused after at "
         "most {worst_ms} ms of work and {worst_mib} MiB of memory beside what was sent. Not refused, refused late (100 ms, 10 "
         "MiB) or at length: {broken} of {shapes}."),
        ("row_text", 60, "Texts that give orders, forge messages or command terminals, each in several places of rows: {texts}; "
         "answers looked at: {answers}. With a byte that commands a terminal, a forged record or cell, text of a row among "
         "instructions, or a secret in a refusal: {broken} of {answers}."),
        ("attacks", 0, "Attacks over HTTP on `notesdb serve`: {attacks}; not as wanted: {broken}. Others were meanwhile served "
         "{served} times, with p99 {p99_ms} ms and at worst {worst_ms} ms, beside 64 slow connections p99 {slow_p99_ms} ms; "
         "memory grew by at most {grown_mib} MiB."),
        ("streams", 10000, "Streams of messages, mutated: {streams}, of {lines} lines. Requests without their one answer, "
         "answers that nobody asked for, lines that are no message, servers that did not end well: {broken} of {streams}."),
        ("leaks", 100000, "Operations of all kinds by two servers: {operations}, {refused} of them refused. Open descriptors "
         "after a tenth of them and at the end: {descriptors}; memory asked for and not given back, median of the third and of "
         "the last quarter: {memory}; {versions} versions put aside. More than that allows: {broken}."),
        ("fuzzing", 600, "Fuzzers with AddressSanitizer and UBSan, {seconds_each} s each: {targets}; {runs} runs, {edges} edges. "
         "Crashes, hangs and broken laws: {broken}."),
        ("hardening", 1, "Properties of the linked programs: {checks}; missing {broken}."),
    ]),
    ("The tests themselves", [
        ("mutants", 0, "Bugs seeded into the write protocol and its gates: {mutants}; caught by the test that each names: {caught} "
         "of {mutants}."),
        ("sanitized", 3, "Tests of rooms, and parts of this page on the sanitized program with their doses, under "
         "AddressSanitizer and UBSan: {address}; under ThreadSanitizer: {thread}; commands under valgrind: {valgrind}. With a "
         "finding: {broken}."),
        ("coverage", 1, "Lines that the tests of these rooms reach: {rooms}."),
    ]),
]
# What is promised, the parts that prove it, and what is to be said beside it: where it is less, or which test proves it too.
PROMISES = [
    ("What was acknowledged stays.", "lost_writes power_cuts", ""),
    ("Killed anywhere, each row is old or new, never half, never gone.", "sweep kill_loop", ""),
    ("A call that fails is a clear refusal and an unchanged row.", "sweep refusals disk_full", ""),
    ("Memory that runs out is an error, not damage.", "memory starved",
     "a command that has none at its very start is ended by the C++ library"),
    ("So is a fault upon a fault.", "double_faults", ""),
    ("Rows behave as if one writer worked at a time.", "histories", ""),
    ("No update is lost between our processes.", "histories kill_loop",
     "also `eight processes that count in one row lose no count`"),
    ("No lock outlives its holder, no wait is longer than five seconds.", "waits sweep kill_loop", ""),
    ("We never destroy another program's save.", "races", "on file systems of Linux; elsewhere as writing.md says"),
    ("A half-written file is not overwritten, nor is a row told as gone because somebody saves it.", "races git_beside",
     "not wholly: while git rewrites a row by removing it, a query may be without it for that moment; a row asked for by its "
     "id is not"),
    ("Every outside edit is seen at the next query.", "outside_edits", "of two kinds, of which the kernel tells nothing, within "
     "three seconds"),
    ("git stays happy.", "git_beside", ""),
    ("An edit changes only its field.", "foreign_bytes", "of the texts that are at hand, see the line"),
    ("What is written reads back the same in every reader.", "strings", ""),
    ("We accept nothing others refuse.", "yaml_suite readers", ""),
    ("A bad row never hides and never spreads.", "damage", ""),
    ("Mode, owner, attributes, access list, line ends, mark and last line survive an edit.", "attributes", ""),
    ("The same folder gives the same bytes of output.", "environments", ""),
    ("No input under the limits crashes, hangs or leaks.", "fuzzing leaks", ""),
    ("What is over the limits is refused soon.", "limits", "with 10 MiB beside what was sent, where 8 were wanted"),
    ("Nothing outside the root is opened.", "escapes", ""),
    ("No content of a folder can block us.", "odd_folders", ""),
    ("HTTP: attacks and browsers come to nothing.", "attacks", "also the tests of `tests/http`"),
    ("Any stream of messages gets one answer for each request.", "streams", ""),
    ("Row text stays data.", "row_text", "CSV and TSV are for programs and hold control characters as they are"),
    ("Errors tell no secrets.", "row_text escapes", ""),
    ("An answer that is cut says so, with right totals.", "questions", ""),
    ("Nothing leaks.", "leaks", ""),
    ("Hours of use by many at once, with kills and a full disk, leave nothing wrong.", "soak",
     "for as long as the line says; `tools/soak --minutes N` for longer"),
    ("Any change of ours in the trash can be taken back exactly, and nobody can wash it out.", "undoing washing", ""),
    ("Nothing of ours is needed.", "store_gone", ""),
    ("`check` finds what is wrong.", "damage", ""),
    ("A full disk is survivable.", "disk_full", ""),
    ("Each version opens the folders of every other.", "", "`tests/versions`: what releases left, from 0.1.0 on, is kept and opened; a "
     "row is a file without a version"),
    ("Seeded bugs are caught.", "mutants", "a mutation score of a whole room is not measured"),
    ("All lines of the rooms that read and write files are reached.", "coverage", "not all are; the line says how many"),
    ("Clean under the sanitizers.", "sanitized", ""),
    ("One command repeats it all.", "", "`tools/reliability`, which has written this page"),
]

# In which order they are tried: first, one at a time, those that measure or need both cores, then the rest, two at a time.
ALONE = "hardening disk_full price limits odd_folders attacks races kill_loop histories power_cuts soak".split()
TOGETHER = ("sweep escapes memory starved foreign_bytes lost_writes yaml_suite undoing washing refusals store_gone git_beside waits damage "
            "attributes row_text outside_edits questions double_faults streams environments mutants leaks strings readers "
            "fuzzing sanitized coverage").split()
