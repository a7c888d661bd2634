// Widths: how wide a column is: as somebody has made it, else as its first rows need it.
import type { Column, Row, Value } from '../api/types';
import { itemsOf, shownText, textOf } from '../cell/values';
import { prefer, preferences } from '../state/preferences';
import { labelOf, titleColumn } from '../state/workspace';
import type { Schema } from '../api/types';
import { titleField } from './question';

export const idColumn = '_id';
const narrowest = 56;
const padding = 18;
const maxMeasured = 90;  // letters of a text
const aroundOption = 22;
const aroundName = 30;   // of a head: the mark of its order, and air
const widest: Partial<Record<Column['type'], number>> = { text: 300, url: 220, json: 200, list: 220, 'multi-select': 230, relation: 220 };
const besideId = 26;     // a mark that something is wrong
const titleWidths = { least: 200, most: 420, stretched: 640 };
const idWidths = { least: 96, besideTitle: 150, most: 260 };

export type Widths = Record<string, number>;

// How wide a text is drawn.
const canvas = document.createElement('canvas').getContext('2d')!;
function drawn(text: string, mono = false): number {
  canvas.font = mono ? '12px ui-monospace, monospace' : '500 13px system-ui, sans-serif';
  return canvas.measureText(text.slice(0, maxMeasured)).width;
}

function lengthOf(column: Column, value: Value | undefined): number {
  if (value === undefined || value === null) return 0;
  if (column.type === 'select' || column.type === 'multi-select')
    return itemsOf(value).reduce((sum, item) => sum + drawn(item) + aroundOption, -padding / 2);
  return drawn(column.type === 'datetime' ? shownText(textOf(value)) : textOf(value));
}

// Nine of ten rows are shown whole.
function usual(lengths: number[]): number {
  const sorted = lengths.sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.9)] ?? 0;
}

// What the rows at hand need; what is left of the window goes to the title.
export function fitted(schema: Schema, columns: Column[], rows: Row[], window: number): Widths {
  const widths: Widths = {};
  const title = titleColumn(schema)?.id;
  const isNamed = title !== undefined && rows.filter(row => row.fields[title]).length > rows.length / 2;
  const idNeeds = usual(rows.map(row => drawn(row.id, true))) + padding + besideId;
  widths[idColumn] = Math.round(Math.max(idWidths.least, Math.min(isNamed ? idWidths.besideTitle : idWidths.most, idNeeds)));
  for (const column of columns) {
    const field = titleField(column);
    const lengths = rows.map(row => lengthOf(column, (field ? row.fields[field] : undefined) ?? row.fields[column.id]));
    const needed = column.type === 'select' ? Math.max(0, ...lengths) : usual(lengths);
    const least = column.id === title ? titleWidths.least : narrowest;
    const most = column.id === title ? titleWidths.most : widest[column.type] ?? 180;
    widths[column.id] = Math.round(Math.max(least, drawn(labelOf(column)) + aroundName, Math.min(most, needed + padding)));
  }
  const left = window - widths[idColumn] - columns.reduce((sum, column) => sum + widths[column.id]!, 0);
  if (title && widths[title] && left > 0) widths[title] = Math.min(titleWidths.stretched, widths[title] + left);
  return widths;
}

export const widthOf = (database: string, id: string, fit: Widths): number =>
  preferences.value.widths[database]?.[id] ?? fit[id] ?? 150;

// Null: as wide as it fits.
export function setWidth(database: string, id: string, width: number | null): void {
  const { widths } = preferences.value;
  const { [id]: _, ...others } = widths[database] ?? {};
  prefer({ widths: { ...widths, [database]: width === null ? others : { ...others, [id]: Math.max(narrowest, Math.round(width)) } } });
}
