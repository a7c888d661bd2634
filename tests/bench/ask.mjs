// What most programs over notes do: read every file at every question. Needs gray-matter.
import fs from "node:fs";
import path from "node:path";
import matter from "gray-matter";

const folder = process.argv[2];
const day = (due) => (due instanceof Date ? due.toISOString().slice(0, 10) : due);
const rows = fs.readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => matter(fs.readFileSync(path.join(folder, name), "utf8"), {}).data)
  .filter((row) => row.status === "done" && row.estimate >= 3 && row.due)
  .map(({ id, title, estimate, due }) => ({ id, title, estimate, due: day(due) }))
  .sort((a, b) => (a.due < b.due ? -1 : 1));
for (const row of rows.slice(0, 50)) console.log(JSON.stringify(row));
