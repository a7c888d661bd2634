// Values of cells as text and back. What a column takes is for the engine to say: what cannot be read
// here goes to it as it was typed, and its refusal is shown.
import type { Column, Value } from '../api/types';

export function textOf(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// A moment as it is read: a space for the T, no seconds. What is no moment stays as it is.
export function shownText(text: string): string {
  const found = /^(\d{4}-\d{2}-\d{2})[T ](\d{1,2}:\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
  return found ? `${found[1]} ${found[2]}${found[3] && found[3] !== 'Z' ? found[3] : ''}` : text;
}

export const holdsMany = (column: Column): boolean =>
  column.type === 'multi-select' || column.type === 'list' || (column.type === 'relation' && column.multiple === true);

export const isNumeric = (column: Column): boolean => column.type === 'number';

export const itemsOf = (value: Value | undefined): string[] =>
  Array.isArray(value) ? value.map(textOf) : value === null || value === undefined || value === '' ? [] : [textOf(value)];

// What was typed or pasted, for a column; nothing clears.
export function valueOf(column: Column, typed: string): Value {
  const text = typed.trim();
  if (text === '') return null;
  if (holdsMany(column)) return text.split(column.type === 'list' && text.includes('\n') ? '\n' : ',').map(item => item.trim()).filter(Boolean);
  switch (column.type) {
    case 'number': return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
    case 'checkbox': return /^(true|yes|1|x|✓)$/i.test(text) ? true : /^(false|no|0)$/i.test(text) ? false : text;
    case 'json': try { return JSON.parse(text) as Value; } catch { return text; }
    case 'text': return typed;
    default: return text;
  }
}

export const isSafeLink = (url: string): boolean => /^(https?:\/\/|mailto:)/i.test(url.trim());

// Characters that can make a name look like another one are shown as what they are.
export function marked(text: string): string {
  return text.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, hidden => `‹U+${hidden.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`);
}
