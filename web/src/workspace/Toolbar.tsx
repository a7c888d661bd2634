// Toolbar: the name of the database, its views, and what can be done with the one that is shown.
import type { Schema, View } from '../api/types';
import { call, messageOf } from '../api/server';
import { address, go, openCheck } from '../state/address';
import { remember } from '../state/edits';
import { isBaseView, isReadOnly, kindOf, labelOf, loadSchema } from '../state/workspace';
import { commandOf, questionOf, shownColumns } from '../table/question';
import { Icon, type IconName } from '../ui/icons';
import { Menu, type Choice } from '../ui/Menu';
import { say } from '../ui/Toasts';
import { chooseFile } from './drop';
import { openNewRow } from './overlays';
import { SidebarToggle } from './Sidebar';

const iconOf = (view: View): IconName => (isBaseView(view) ? 'table' : kindOf(view) as IconName);

function copy(text: string, what: string): void {
  if (!navigator.clipboard) return say('This browser lets only pages of this machine, or over TLS, write to the clipboard');
  navigator.clipboard.writeText(text).then(() => say(`Copied ${what}`), () => say('The browser did not allow copying', undefined, 'wrong'));
}

const exportAs = async (schema: Schema, view: View | null, format: 'csv' | 'json'): Promise<void> =>
  (await import('../table/export')).exportRows(schema, view, address.value, format);

async function alter(schema: Schema, change: Record<string, unknown>, what: string): Promise<boolean> {
  try {
    const answer = await call<{ change?: string }>('db_alter', { database_id: schema.database_id, etag: schema.etag, changes: [change] });
    remember(answer.change, what);
    await loadSchema(schema.database_id);
    return true;
  } catch (refused) {
    say(messageOf(refused), undefined, 'wrong');
    return false;
  }
}

export const idOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'view';

// What is seen now, as a view of the schema.
async function addView(schema: Schema, kind: 'table' | 'board' | 'calendar', part: Record<string, unknown>): Promise<void> {
  const taken = new Set(schema.views.map(one => one.id));
  const base = idOf(kind === 'table' ? 'table' : `${kind} by ${String(Object.values(part)[0])}`);
  let id = base;
  for (let i = 2; taken.has(id); ++i) id = `${base}-${i}`;
  const filters = address.value.where;
  const sorts = address.value.sort.map(one => ({ field: one.split(':')[0], direction: one.endsWith(':desc') ? 'desc' : 'asc' }));
  const change = {
    action: 'add_view', view: id, type: kind, ...part,
    ...(kind === 'table' ? { columns: shownColumns(schema, null, address.value).map(column => column.id) } : {}),
    ...(filters.length ? { filters } : {}), ...(sorts.length ? { sorts } : {}),
  };
  if (await alter(schema, change, `new view ${id}`)) go({ view: id, where: [], sort: [], columns: null });
}

function newViews(schema: Schema): Choice[] {
  const grouping = schema.columns.filter(column => column.type === 'select');
  const dated = schema.columns.filter(column => column.type === 'date' || column.type === 'datetime');
  return [
    { label: 'Table of what is seen', run: () => void addView(schema, 'table', {}) },
    ...grouping.map(column => ({ label: `Board by ${labelOf(column)}`, run: () => void addView(schema, 'board', { group_by: column.id }) })),
    ...dated.map(column => ({ label: `Calendar by ${labelOf(column)}`, run: () => void addView(schema, 'calendar', { date_column: column.id }) })),
  ];
}

function viewChoices(schema: Schema, view: View | null): Choice[] {
  return [
    { label: 'Copy as command', run: () => copy(commandOf(schema, view, address.value), 'the command') },
    { label: 'Copy as JSON', run: () => copy(JSON.stringify({ tool: 'db_query', arguments: questionOf(schema, view, address.value) }, null, 2), 'the call') },
    { label: 'Copy link', run: () => copy(location.href, 'the link') },
    ...(isBaseView(view) ? [] : [
      { label: 'Export as CSV', separated: true, run: () => void exportAs(schema, view, 'csv') },
      { label: 'Export as JSON', run: () => void exportAs(schema, view, 'json') },
    ]),
    ...(isReadOnly.value ? [] : [{ label: 'Import a file', run: chooseFile }]),
    { label: 'What is wrong', separated: true, run: () => openCheck(schema.database_id) },
    ...(view && !isBaseView(view) && !isReadOnly.value ? [{ label: `Drop the view ${view.name ?? view.id}`, danger: true, separated: true, run: () => {
      void alter(schema, { action: 'drop_view', view: view.id }, `drop of view ${view.id}`).then(done => { if (done) go({ view: null }); });
    } }] : []),
  ];
}

export function Toolbar({ schema, view }: { schema: Schema; view: View | null }) {
  const show = (to: View | null) => go({ view: to?.id ?? null, columns: null, sort: [], group: null, ...(isBaseView(to) ? { where: [] } : {}) });
  return (
    <header class="toolbar">
      <SidebarToggle />
      <h1 title={schema.description}>{schema.name}</h1>
      <div class="tabs" role="tablist" aria-label="views">
        <button role="tab" aria-selected={view === null} class="tab" onClick={() => show(null)}><Icon name="table" />All</button>
        {schema.views.map(one => (
          <button key={one.id} role="tab" aria-selected={view?.id === one.id} class="tab" onClick={() => show(one)}><Icon name={iconOf(one)} />{one.name ?? one.id}</button>
        ))}
      </div>
      {!isReadOnly.value && <Menu label="new view" choices={() => newViews(schema)}><Icon name="plus" /></Menu>}
      <span class="grow" />
      <Menu label="copies and more" choices={() => viewChoices(schema, view)}><Icon name="more" /></Menu>
      {!isReadOnly.value && <button class="primary" onClick={() => openNewRow()} title="New row (n)">New</button>}
    </header>
  );
}
