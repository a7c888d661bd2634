// RowPanel: all of one row beside the list that it is part of.
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onLive } from '../api/events';
import { call, messageOf } from '../api/server';
import type { Backlink, Column, HistoryEntry, Issue, QueryAnswer, Schema, Value, WholeRow } from '../api/types';
import { CellValue } from '../cell/Cell';
import { CellEditor } from '../cell/editors';
import { itemsOf, marked, textOf } from '../cell/values';
import { go, hrefOf } from '../state/address';
import { Clash, deleteRow, remember, saveRow } from '../state/edits';
import { prefer, preferences } from '../state/preferences';
import { isComputed, isReadOnly, knownSchema, labelOf, rowOfPath, schemaOf, titleColumn, workspace } from '../state/workspace';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/Menu';
import { say } from '../ui/Toasts';
import { Fixes, IssueLine, useCheck } from '../workspace/Check';
import { Body } from './Body';

const narrowest = 340;

interface FieldProps {
  database: string;
  column: Column;
  row: WholeRow;
  titles: Value | undefined;
  onSaved: (row: WholeRow) => void;
}

function Field({ database, column, row, titles, onSaved }: FieldProps) {
  const [began, setBegan] = useState<WholeRow | null>(null);
  const [refused, setRefused] = useState<{ message: string; draft: Value; clash: Clash | null } | null>(null);
  const button = useRef<HTMLElement>(null) as RefObject<HTMLDivElement & HTMLButtonElement>;
  const label = labelOf(column);
  const isFixed = isComputed(column) || isReadOnly.value;
  const isChanged = began !== null && JSON.stringify(began.fields[column.id]) !== JSON.stringify(row.fields[column.id]);
  const keep = async (value: Value, base: WholeRow) => {
    setBegan(null);
    requestAnimationFrame(() => button.current?.focus({ preventScroll: true }));
    if (JSON.stringify(value) === JSON.stringify(base.fields[column.id] ?? null)) return;
    setRefused(null);
    onSaved({ ...row, fields: { ...row.fields, [column.id]: value } });
    try {
      onSaved(await saveRow(database, base, { fields: { [column.id]: value } }));
    } catch (problem) {
      const clash = problem instanceof Clash ? problem : null;
      onSaved(clash ? clash.row : row);
      setRefused({ message: messageOf(problem), draft: value, clash });
    }
  };
  const begin = () => {
    if (isFixed) return;
    if (column.type === 'checkbox') void keep(row.fields[column.id] !== true, row);
    else setBegan(row);
  };
  const value = row.fields[column.id];
  // Where links stand in the value, the button that edits it stands beside them.
  const holdsLinks = (column.type === 'relation' || column.type === 'url') && value != null;
  const isButton = !isFixed && !holdsLinks;
  return (
    <div class={`field ${refused ? 'wrong' : ''}`}>
      <div class="field-name" id={`field-${column.id}`} title={column.description}>{label}{column.required && <span class="faint" title="required">*</span>}</div>
      <div class="field-value-box">
        {began ? (
          <CellEditor database={database} column={column} value={began.fields[column.id]} typed={null} label={label}
            onKeep={given => void keep(given, began)} onCancel={() => { setBegan(null); requestAnimationFrame(() => button.current?.focus()); }} />
        ) : (
          <div ref={isButton ? button : null} id={`value-${column.id}`} class={`field-value ${isFixed ? 'fixed' : ''}`} role={isButton ? 'button' : undefined} tabIndex={isButton ? 0 : undefined} aria-labelledby={isButton ? `field-${column.id} value-${column.id}` : undefined}
            onClick={event => { if (!(event.target as Element).closest('a')) begin(); }}
            onKeyDown={event => { if (event.key === 'Enter' || event.key === ' ' || event.key === 'F2') { event.preventDefault(); begin(); } }}>
            {column.type === 'relation' ? <Links column={column} value={value} titles={titles} /> : <CellValue column={column} fields={row.fields} />}
            {value === undefined && <span class="faint">empty</span>}
            {value === null && <span class="faint" title="the file says null">null</span>}
          </div>
        )}
        {!began && holdsLinks && !isFixed && <button ref={button} class="quiet small field-edit" onClick={begin}>Edit<span class="sr"> {label}</span></button>}
        {isChanged && <span class="changed-mark">changed on disk: {textOf(row.fields[column.id]) || '(empty)'}</span>}
        {refused && (
          <div class="field-refusal" role="alert">
            <p>{refused.message}</p>
            {refused.clash && <p class="faint">before {textOf(refused.clash.base) || '(empty)'} · theirs {textOf(refused.clash.theirs) || '(empty)'} · yours {textOf(refused.draft) || '(empty)'}</p>}
            <div class="buttons">
              {refused.clash && <button class="primary" onClick={() => void keep(refused.draft, refused.clash!.row)}>Write mine</button>}
              <button onClick={() => setRefused(null)}>{refused.clash ? 'Keep theirs' : 'Leave it'}</button>
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

function Links({ column, value, titles }: { column: Column; value: Value | undefined; titles: Value | undefined }) {
  const names = itemsOf(titles);
  const ids = itemsOf(value);
  return <>{ids.map((id, i) => <a key={id} class="related" href={hrefOf(column.target ?? '', id)} title={id}>{names.length === ids.length ? names[i] : id}</a>)}</>;
}

// The titles of what relations name: the page shows rows by their names.
function useTitles(schema: Schema, row: WholeRow | null): Record<string, Value> {
  const [titles, setTitles] = useState<Record<string, Value>>({});
  useEffect(() => {
    if (!row) return;
    const stop = new AbortController();
    void (async () => {
      const relations = schema.columns.filter(column => column.type === 'relation' && column.target && row.fields[column.id] != null);
      await Promise.all(relations.map(column => schemaOf(column.target!).catch(() => null)));
      const fields = relations.map(column => ({ column, field: `${column.id}.${titleColumn(knownSchema(column.target!))?.id}` })).filter(one => !one.field.endsWith('.undefined'));
      if (!fields.length) return;
      const answer = await call<{ rows: { fields: Record<string, Value> }[] }>('db_query', {
        database_id: schema.database_id, filters: [{ field: '_id', operator: 'eq', value: row.id }], select: fields.map(one => one.field), limit: 1,
      }, stop.signal);
      setTitles(Object.fromEntries(fields.map(({ column, field }) => [column.id, answer.rows[0]?.fields[field] ?? null])));
    })().catch(() => undefined);
    return () => stop.abort();
  }, [schema, row?.id, row?.etag]);
  return titles;
}

interface Linked {
  database: string;
  row: string;
  how: string;
}

// Rows by the names that people know them by.
function useNames(links: Linked[]): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = links.map(link => `${link.database}\n${link.row}`).join('\n\n');
  useEffect(() => {
    const stop = new AbortController();
    const databases = [...new Set(links.map(link => link.database))];
    void Promise.all(databases.map(async database => {
      const title = titleColumn(await schemaOf(database));
      if (!title) return [];
      const ids = links.filter(link => link.database === database).map(link => link.row);
      const answer = await call<QueryAnswer>('db_query', {
        database_id: database, filters: [{ field: '_id', operator: 'in', value: ids }], select: [title.id], limit: ids.length,
      }, stop.signal);
      return answer.rows.map(row => [`${database}\n${row.id}`, textOf(row.fields[title.id])] as const);
    })).then(found => setNames(new Map(found.flat())), () => undefined);
    return () => stop.abort();
  }, [wanted]);
  return names;
}

function LinkList({ title, links, others = [] }: { title: string; links: Linked[]; others?: string[] }) {
  const names = useNames(links);
  if (!links.length && !others.length) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="plain links">
        {links.map(({ database, row, how }) => (
          <li key={`${database}/${row} ${how}`}>
            <a href={hrefOf(database, row)}>{names.get(`${database}\n${row}`) || marked(row)}</a> <span class="faint">{database}{how && `, ${how}`}</span>
          </li>
        ))}
        {others.map(path => <li key={path}>{marked(path)}</li>)}
      </ul>
    </section>
  );
}

function Backlinks({ links }: { links: Backlink[] }) {
  const rows = links.filter(link => link.row_id && link.database_id);
  return <LinkList title="Linked from" others={links.filter(link => !link.row_id).map(link => link.path ?? '')}
    links={rows.map(link => ({ database: link.database_id!, row: link.row_id!, how: link.field === '_body' ? 'in its text' : link.field }))} />;
}

const maxSearched = 20;   // databases in which a [[name]] is looked for

// What the text of a note names: paths of files, and [[names]] of rows in any database.
function namedIn(body: string, note: string): { paths: string[]; names: string[] } {
  const paths = [...body.matchAll(/\]\(<?([^)<>\s]+\.md)(?:#[^)]*)?>?\)/g)].flatMap(([, href]) => {
    try { return /^[a-z]+:/i.test(href!) ? [] : [decodeURIComponent(new URL(href!, `file:///${encodeURI(note)}`).pathname.slice(1))]; } catch { return []; }
  });
  const names = [...body.matchAll(/\[\[([^\]|#\n]+)/g)].map(([, name]) => name!.trim());
  return { paths: [...paths, ...names.filter(name => name.includes('/')).map(name => `${name}.md`)], names: names.filter(name => !name.includes('/')) };
}

// Where the text of the row leads; what its fields name stands beside them.
function LinksOfText({ database, row }: { database: string; row: WholeRow }) {
  const [links, setLinks] = useState<Linked[]>([]);
  useEffect(() => {
    const { paths, names } = namedIn(row.body, `${database}/${row.id}`);
    const direct = paths.map(rowOfPath).filter(link => link !== null).map(link => ({ ...link, how: '' }));
    const stop = new AbortController();
    const searched = names.length ? workspace.peek()?.databases.slice(0, maxSearched) ?? [] : [];
    void Promise.all(searched.map(({ id }) => call<QueryAnswer>('db_query', {
      database_id: id, filters: [{ field: '_id', operator: 'in', value: names }], select: ['_id'], limit: names.length,
    }, stop.signal).then(answer => answer.rows.map(one => ({ database: id, row: one.id, how: '' }))))).then(found => {
      const all = [...direct, ...found.flat()];
      setLinks(all.filter((link, i) => all.findIndex(one => one.database === link.database && one.row === link.row) === i));
    }, () => undefined);
    return () => stop.abort();
  }, [database, row.id, row.body]);
  return <LinkList title="Links to" links={links} />;
}

// What is wrong in the file of the row, and what can be fixed in it.
function Issues({ database, issues }: { database: string; issues: Issue[] }) {
  const paths = [...new Set(issues.map(issue => issue.path))];
  const { answer } = useCheck(database, paths);
  return (
    <section class="panel-issues" aria-label="issues">
      {issues.map((issue, i) => <IssueLine key={i} issue={issue} />)}
      {paths.map(path => <Fixes key={path} path={path} fixes={answer?.fixes?.filter(fix => fix.path === path) ?? []} />)}
    </section>
  );
}

function History({ database, row }: { database: string; row: WholeRow }) {
  const [entries, setEntries] = useState<HistoryEntry[] | null>(null);
  const [problem, setProblem] = useState('');
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    call<{ changes: HistoryEntry[] }>('db_history', { database_id: database, row_id: row.id, limit: 20 })
      .then(answer => setEntries(answer.changes), refused => setProblem(messageOf(refused)));
  }, [isOpen, row.id, row.etag]);
  const takeBack = async (entry: HistoryEntry) => {
    try {
      const answer = await call<{ change?: string }>('db_undo', { change: entry.change });
      remember(answer.change, `undo of ${entry.what}`);
      say(`Undone: ${entry.what}`);
    } catch (refused) {
      setProblem(messageOf(refused));
    }
  };
  return (
    <details class="history" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>History</summary>
      {problem && <p class="wrong-text" role="alert">{problem}</p>}
      {entries?.length === 0 && <p class="faint">No change was made through notesdb yet.</p>}
      <ul class="plain">
        {entries?.map(entry => (
          <li key={entry.change} class="history-line">
            <span class="tabular faint">{entry.when.replace('T', ' ').replace('Z', '')}</span><span class="grow">{entry.what}</span>
            {!isReadOnly.value && <button class="quiet small" onClick={() => void takeBack(entry)}>Undo</button>}
          </li>
        ))}
      </ul>
    </details>
  );
}

// The row as it is on the disk, read again when it changes.
function useRow(database: string, id: string) {
  const [row, setRow] = useState<WholeRow | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isWanted = true;
    const read = async () => {
      try {
        const answer = await call<{ row: WholeRow }>('db_get_row', { database_id: database, row_id: id });
        if (!isWanted) return;
        setRow(answer.row);
        setProblem('');
      } catch (refused) {
        if (isWanted) setProblem(messageOf(refused));
      }
    };
    setRow(null);
    void read();
    const stop = onLive(event => {
      if (event.kind === 'databases') return;
      if (event.kind === 'change') {
        const { change } = event;
        if (change.database_id !== database || !(change.all || change.schema || change.rows?.some(one => one.id === id))) return;
      }
      void read();
    });
    return () => { isWanted = false; stop(); };
  }, [database, id]);
  // What a write answers says nothing about who links here.
  const take = (next: WholeRow) => setRow(old => ({ ...next, backlinks: next.backlinks ?? old?.backlinks ?? [] }));
  return { row, setRow: take, problem };
}

function resizePanel(event: PointerEvent): void {
  event.preventDefault();
  const drag = (move: PointerEvent) => prefer({ panelWidth: Math.round(Math.max(narrowest, Math.min(innerWidth * 0.7, innerWidth - move.clientX))) });
  const end = () => { removeEventListener('pointermove', drag); removeEventListener('pointerup', end); };
  addEventListener('pointermove', drag);
  addEventListener('pointerup', end);
}

export function RowPanel({ schema, id }: { schema: Schema; id: string }) {
  const database = schema.database_id;
  const { row, setRow, problem } = useRow(database, id);
  const titles = useTitles(schema, row);
  const close = () => { go({ row: null }); document.querySelector<HTMLElement>('[role=grid], .board, .calendar-grid')?.focus(); };
  const title = titleColumn(schema);
  const remove = async () => {
    try {
      await deleteRow(database, row!);
      close();
    } catch (refused) {
      say(messageOf(refused), undefined, 'wrong');
    }
  };
  return (
    <aside class="panel" aria-label={`row ${id}`} style={{ width: `${preferences.value.panelWidth}px` }}
      onKeyDown={event => { if (event.key === 'Escape' && !event.defaultPrevented) close(); }}>
      <div class="panel-edge" onPointerDown={resizePanel} />
      <header class="panel-head">
        <span class="mono faint">{marked(id)}</span><span class="grow" />
        {row && (
          <Menu label="more about this row" choices={[
            { label: 'Copy link', run: () => void navigator.clipboard.writeText(location.href) },
            { label: 'Copy as command', run: () => void navigator.clipboard.writeText(`notesdb get ${database} ${id}`) },
            { label: 'Copy as JSON', run: () => void navigator.clipboard.writeText(JSON.stringify(row, null, 2)) },
            ...(isReadOnly.value ? [] : [{ label: 'Delete row', danger: true, separated: true, run: () => void remove() }]),
          ]}><Icon name="more" /></Menu>
        )}
        <button class="quiet" aria-label="close the row" title="Close (Esc)" onClick={close}><Icon name="close" /></button>
      </header>
      {problem && <p class="panel-problem" role="alert">{problem}{row && ' What was here is below; it can still be copied.'}</p>}
      {row && (
        <div class="panel-scroll">
          <h2 class="panel-title">{title ? textOf(row.fields[title.id]) || <span class="faint">no {labelOf(title)}</span> : marked(id)}</h2>
          {row.issues?.length ? <Issues database={database} issues={row.issues} /> : null}
          <div class="fields">
            {schema.columns.map(column => <Field key={column.id} database={database} column={column} row={row} titles={titles[column.id]} onSaved={setRow} />)}
            {Object.entries(row.extra ?? {}).map(([key, value]) => (
              <div key={key} class="field"><div class="field-name faint" title="not a column of the schema">{key}</div><div class="field-value fixed mono">{textOf(value)}</div></div>
            ))}
          </div>
          <Body key={id} database={database} row={row} onSaved={setRow} />
          <LinksOfText database={database} row={row} />
          <Backlinks links={row.backlinks ?? []} />
          <History database={database} row={row} />
          <p class="faint modified">changed {row.modified?.replace('T', ' ').replace('Z', ' UTC')}, etag <span class="mono">{row.etag}</span></p>
        </div>
      )}
    </aside>
  );
}
