// Clipboard: a range of cells as tab-separated text, and such text as the operations of one batch.
import type { Column, Row } from '../api/types';
import { textOf, valueOf } from '../cell/values';
import type { Operation } from '../state/edits';
import { isComputed } from '../state/workspace';
import type { Range } from './selection';

const needsQuotes = /["\t\n\r]/;

const cellText = (text: string): string => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function tsvOf(range: Range, columns: Column[], rowAt: (index: number) => Row | undefined): string {
  const lines: string[] = [];
  for (let row = range.top; row <= range.bottom; ++row)
    lines.push(columns.slice(range.left, range.right + 1).map(column => cellText(textOf(rowAt(row)?.fields[column.id]))).join('\t'));
  return lines.join('\n');
}

export function cellsOf(tsv: string): string[][] {
  const rows: string[][] = [[]];
  const pattern = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/gy;
  for (let found = pattern.exec(tsv); found; found = pattern.exec(tsv)) {
    rows.at(-1)!.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') break;
    if (found[3] !== '\t') rows.push([]);
  }
  if (rows.at(-1)!.length === 1 && rows.at(-1)![0] === '' && rows.length > 1) rows.pop();
  return rows;
}

// One cell fills the whole range; more are laid down from its corner. Cells beyond the last row or
// column are counted in `left_out`.
export function pasteOperations(
  cells: string[][], range: Range, columns: Column[], database: string, rowAt: (index: number) => Row | undefined,
): { operations: Operation[]; leftOut: number } {
  const fills = cells.length === 1 && cells[0]?.length === 1;
  const height = fills ? range.bottom - range.top + 1 : cells.length;
  const operations: Operation[] = [];
  let leftOut = 0;
  for (let i = 0; i < height; ++i) {
    const row = rowAt(range.top + i);
    const texts = fills ? Array<string>(range.right - range.left + 1).fill(cells[0]![0]!) : cells[i] ?? [];
    const fields: Operation['fields'] = {};
    texts.forEach((text, j) => {
      const column = columns[range.left + j];
      if (!row || !column || isComputed(column)) ++leftOut;
      else fields[column.id] = valueOf(column, text);
    });
    if (row && Object.keys(fields).length) operations.push({ action: 'update', database_id: database, row_id: row.id, etag: row.etag, fields });
  }
  return { operations, leftOut };
}

export function clearOperations(range: Range, columns: Column[], database: string, rowAt: (index: number) => Row | undefined): Operation[] {
  const cleared = columns.slice(range.left, range.right + 1).filter(column => !isComputed(column));
  const operations: Operation[] = [];
  for (let index = range.top; index <= range.bottom; ++index) {
    const row = rowAt(index);
    if (!row) continue;
    const fields = Object.fromEntries(cleared.filter(column => row.fields[column.id] != null).map(column => [column.id, null]));
    if (Object.keys(fields).length) operations.push({ action: 'update', database_id: database, row_id: row.id, etag: row.etag, fields });
  }
  return operations;
}
