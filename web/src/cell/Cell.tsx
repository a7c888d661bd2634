// Cell: the value of a field as a table, a card and a panel show it. Text from rows is only ever text.
import type { Column, Fields, Value } from '../api/types';
import { isSafeLink, itemsOf, shownText, textOf } from './values';

const hues = 8;

// The hue of an option, by its place in the schema.
export function toneOf(column: Column, value: string): string {
  const at = column.options?.indexOf(value) ?? -1;
  return at < 0 ? 'unknown' : `hue-${at % hues}`;
}

export function Option({ column, value }: { column: Column; value: string }) {
  const tone = toneOf(column, value);
  return <span class={`option ${tone}`} title={tone === 'unknown' ? `'${value}' is not an option of ${column.id}` : undefined}>{value}</span>;
}

function Link({ url }: { url: string }) {
  const shown = url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
  if (!isSafeLink(url)) return <span class="clip">{url}</span>;
  return <a class="clip" href={url} target="_blank" rel="noopener noreferrer" tabIndex={-1} title={url}>{shown}</a>;
}

function Check({ on }: { on: boolean }) {
  return <span class={`check ${on ? 'on' : ''}`} role="img" aria-label={on ? 'true' : 'false'}>{on ? '✓' : ''}</span>;
}

// What a relation names, by title where it is known.
function Related({ value, titles }: { value: Value; titles: Value | undefined }) {
  const ids = itemsOf(value);
  const names = itemsOf(titles);
  const known = names.length === ids.length;
  return <>{ids.map((id, i) => <span key={id} class="related" title={id}>{known ? names[i] : id}</span>)}</>;
}

export function CellValue({ column, fields, titles }: { column: Column; fields: Fields; titles?: Value | undefined }) {
  const value = fields[column.id];
  if (value === undefined || value === null) return null;
  if (value === '') return <span class="faint" title="an empty text">""</span>;
  switch (column.type) {
    case 'select': return <Option column={column} value={textOf(value)} />;
    case 'multi-select': return <>{itemsOf(value).map(item => <Option key={item} column={column} value={item} />)}</>;
    case 'checkbox': return typeof value === 'boolean' ? <Check on={value} /> : <>{textOf(value)}</>;
    case 'url': return <Link url={textOf(value)} />;
    case 'relation': return <Related value={value} titles={titles} />;
    case 'list': return <span class="clip">{itemsOf(value).join(' · ')}</span>;
    case 'datetime': return <span class="clip" title={textOf(value)}>{shownText(textOf(value))}</span>;
    case 'json': return <span class="mono clip">{textOf(value)}</span>;
    default: return <span class="clip">{textOf(value)}</span>;
  }
}
