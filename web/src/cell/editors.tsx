// Editors: one for each family of column. Enter keeps and goes down, Tab keeps and goes on, Escape
// leaves the old value.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/server';
import type { Column, QueryAnswer, Value } from '../api/types';
import { loadSchema, schemaOf, titleColumn } from '../state/workspace';
import { Popover } from '../ui/Popover';
import { Option } from './Cell';
import { addDays, addMonths, fullDay, isDate, monthDays, monthName, today, dayName } from './dates';
import { holdsMany, itemsOf, textOf, valueOf } from './values';

export type Leave = 'stay' | 'down' | 'up' | 'right' | 'left';

export interface EditorProps {
  database: string;
  column: Column;
  value: Value | undefined;
  typed: string | null;          // the character that began the edit, in place of the value
  label: string;
  onKeep: (value: Value, leave: Leave) => void;
  onCancel: () => void;
}

// What a key says about leaving, in every editor.
export function leaveOf(event: KeyboardEvent): Leave | null {
  if (event.key === 'Enter' && !event.isComposing) return event.shiftKey ? 'up' : 'down';
  if (event.key === 'Tab') return event.shiftKey ? 'left' : 'right';
  return null;
}

function useFocus<Element extends HTMLInputElement | HTMLTextAreaElement>(selects: boolean) {
  const input = useRef<Element>(null);
  const [, draw] = useState(0);   // once more when the input is there, for what floats beside it
  // Before the next key comes: none is to miss the editor that it is meant for.
  useLayoutEffect(() => {
    const element = input.current!;
    element.focus({ preventScroll: true });
    if (selects) element.select();
    else element.setSelectionRange(element.value.length, element.value.length);
    draw(1);
  }, []);
  return input;
}

function TextEditor({ column, value, typed, label, onKeep, onCancel }: EditorProps) {
  const separator = column.type === 'list' ? '\n' : ', ';
  const before = Array.isArray(value) ? itemsOf(value).join(separator) : textOf(value);
  const [text, setText] = useState(typed ?? before);
  const input = useFocus<HTMLTextAreaElement>(false);
  const done = useRef(false);
  const keep = (leave: Leave) => {
    if (done.current) return;
    done.current = true;
    if (text === before) onKeep(value ?? null, leave);
    else onKeep(valueOf(column, text), leave);
  };
  useEffect(() => {
    const element = input.current!;
    element.style.height = '0';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') { done.current = true; event.preventDefault(); onCancel(); return; }
    if (event.key === 'Enter' && (event.altKey || (event.shiftKey && column.type === 'list'))) return;
    const leave = leaveOf(event);
    if (leave) { event.preventDefault(); keep(leave); }
  };
  return (
    <textarea
      ref={input}
      class={`editor ${column.type === 'number' ? 'number' : ''}`}
      rows={1}
      aria-label={label}
      inputMode={column.type === 'number' ? 'decimal' : column.type === 'url' ? 'url' : 'text'}
      value={text}
      spellcheck={column.type === 'text'}
      onInput={event => setText(event.currentTarget.value)}
      onKeyDown={key}
      onBlur={() => keep('stay')}
    />
  );
}

interface DaysProps {
  chosen: string;
  onChoose: (day: string) => void;
}

// A month of days to choose from.
export function Days({ chosen, onChoose }: DaysProps) {
  const [month, setMonth] = useState((isDate(chosen) ? chosen : today()).slice(0, 7));
  useEffect(() => { if (isDate(chosen)) setMonth(chosen.slice(0, 7)); }, [chosen]);
  const days = monthDays(month);
  const now = today();
  return (
    <div class="days" onMouseDown={event => event.preventDefault()}>
      <div class="days-head">
        <button class="quiet small" aria-label="month before" tabIndex={-1} onClick={() => setMonth(addMonths(month, -1))}>‹</button>
        <span>{monthName(month)}</span>
        <button class="quiet small" aria-label="next month" tabIndex={-1} onClick={() => setMonth(addMonths(month, 1))}>›</button>
      </div>
      <div class="days-grid">
        {days.slice(0, 7).map(day => <span key={day} class="weekday" aria-hidden="true">{dayName(day, 'short').slice(0, 2)}</span>)}
        {days.map(day => (
          <button
            key={day}
            tabIndex={-1}
            aria-label={fullDay(day)}
            aria-pressed={day === chosen.slice(0, 10)}
            class={`day ${day.startsWith(month) ? '' : 'outside'} ${day === now ? 'today' : ''} ${day === chosen.slice(0, 10) ? 'chosen' : ''}`}
            onClick={() => onChoose(day)}
          >{Number(day.slice(8))}</button>
        ))}
      </div>
    </div>
  );
}

function DateEditor({ column, value, typed, label, onKeep, onCancel }: EditorProps) {
  const before = textOf(value);
  const [text, setText] = useState(typed ?? before);
  const input = useFocus<HTMLInputElement>(typed === null);
  const done = useRef(false);
  const keep = (given: string, leave: Leave) => {
    if (done.current) return;
    done.current = true;
    onKeep(given === before ? value ?? null : valueOf(column, given), leave);
  };
  // A day is moved within what is written, so that a time behind it stays.
  const move = (days: number) => setText((isDate(text) ? addDays(text, days) : today()) + text.slice(10));
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    const step = { ArrowUp: -7, ArrowDown: 7, PageUp: -28, PageDown: 28 }[event.key];
    if (step) { event.preventDefault(); move(event.altKey ? Math.sign(step) : step); return; }
    if (event.key === 'Escape') { event.preventDefault(); done.current = true; onCancel(); return; }
    const leave = leaveOf(event);
    if (leave) { event.preventDefault(); keep(text, leave); }
  };
  return (
    <>
      <input ref={input} class="editor number" aria-label={label} placeholder="2026-01-31" value={text}
        onInput={event => setText(event.currentTarget.value)} onKeyDown={key} onBlur={() => keep(text, 'stay')} />
      {input.current && (
        <Popover anchor={input.current} label="choose a day" onClose={() => undefined}>
          <Days chosen={text} onChoose={day => keep(day + (column.type === 'datetime' ? text.slice(10) : ''), 'stay')} />
        </Popover>
      )}
    </>
  );
}

interface Candidate {
  id: string;
  name: string;
}

// What a column offers for what is typed: its options, or rows of the database it leads to.
function useCandidates(column: Column, text: string): Candidate[] {
  const [rows, setRows] = useState<Candidate[]>([]);
  useEffect(() => {
    if (column.type !== 'relation' || !column.target) return;
    const stop = new AbortController();
    void (async () => {
      const title = titleColumn(await schemaOf(column.target!));
      const names = title ? [title.id, '_id'] : ['_id'];
      const filters = text.trim() ? [{ any: names.map(field => ({ field, operator: 'contains', value: text.trim() })) }] : [];
      const found = await call<QueryAnswer>('db_query', { database_id: column.target, filters, select: title ? [title.id] : ['_id'], limit: 30 }, stop.signal);
      setRows(found.rows.map(row => ({ id: row.id, name: title ? textOf(row.fields[title.id]) || row.id : row.id })));
    })().catch(() => undefined);
    return () => stop.abort();
  }, [column, text]);
  if (column.type === 'relation') return rows;
  const wanted = text.trim().toLowerCase();
  return (column.options ?? []).filter(option => option.toLowerCase().includes(wanted)).map(option => ({ id: option, name: option }));
}

async function addOption(database: string, column: Column, option: string): Promise<void> {
  const { etag } = await loadSchema(database);
  await call('db_alter', { database_id: database, etag, changes: [{ action: 'add_option', column: column.id, option }] });
  await loadSchema(database);
}

function ChoiceEditor({ database, column, value, typed, label, onKeep, onCancel }: EditorProps) {
  const many = holdsMany(column);
  const [text, setText] = useState(typed ?? '');
  const [chosen, setChosen] = useState<string[]>(itemsOf(value));
  const [at, setAt] = useState(0);
  const [touched, setTouched] = useState(false);
  const input = useFocus<HTMLInputElement>(false);
  const done = useRef(false);
  const candidates = useCandidates(column, text);
  const isNew = column.type !== 'relation' && text.trim() !== '' && !column.options?.includes(text.trim());
  const count = candidates.length + (isNew ? 1 : 0);
  useEffect(() => setAt(0), [text]);

  const finish = (items: string[], leave: Leave) => {
    if (done.current) return;
    done.current = true;
    onKeep(many ? (items.length ? items : null) : items[0] ?? null, leave);
  };
  const pick = async (index: number, leave: Leave) => {
    const candidate = candidates[index];
    const id = candidate?.id ?? text.trim();
    if (!candidate) {
      done.current = true;
      try { await addOption(database, column, id); } catch { /* the engine says why when the value is set */ }
      done.current = false;
    }
    if (!many) return finish([id], leave);
    setChosen(chosen.includes(id) ? chosen.filter(item => item !== id) : [...chosen, id]);
    setText('');
    setTouched(false);
  };
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step && count) { event.preventDefault(); setAt((at + step + count) % count); setTouched(true); return; }
    if (event.key === 'Escape') { event.preventDefault(); done.current = true; onCancel(); return; }
    if (event.key === 'Backspace' && text === '' && chosen.length) { event.preventDefault(); setChosen(chosen.slice(0, -1)); return; }
    const leave = leaveOf(event);
    if (!leave) return;
    event.preventDefault();
    const picks = (touched || text.trim() !== '') && count > 0;
    if (picks && (event.key === 'Enter' || !many)) void pick(at, leave);
    else finish(chosen, leave);
  };
  return (
    <>
      <input ref={input} class="editor" role="combobox" aria-expanded="true" aria-controls="choices" aria-activedescendant={`choice-${at}`}
        aria-label={label} placeholder={many || !chosen.length ? 'type to find' : chosen[0]} value={text}
        onInput={event => setText(event.currentTarget.value)} onKeyDown={key} onBlur={() => finish(chosen, 'stay')} />
      {input.current && (
        <Popover anchor={input.current} label="choices" class="choosing" onClose={() => undefined}>
          {many && chosen.length > 0 && <div class="chosen-items">{chosen.map(item => column.type === 'relation' ? <span key={item} class="related">{item}</span> : <Option key={item} column={column} value={item} />)}</div>}
          <div id="choices" role="listbox" aria-label={label} aria-multiselectable={many} onMouseDown={event => event.preventDefault()}>
            {candidates.map(({ id, name }, index) => (
              <div key={id} id={`choice-${index}`} role="option" aria-selected={chosen.includes(id)} class={`choice ${index === at ? 'at' : ''}`} onClick={() => void pick(index, 'stay')}>
                <span class="tick" aria-hidden="true">{chosen.includes(id) ? '✓' : ''}</span>
                {column.type === 'relation' ? <><span class="grow">{name}</span><span class="mono faint">{name === id ? '' : id}</span></> : <Option column={column} value={name} />}
              </div>
            ))}
            {isNew && (
              <div id={`choice-${candidates.length}`} role="option" aria-selected="false" class={`choice ${at === candidates.length ? 'at' : ''}`} onClick={() => void pick(candidates.length, 'stay')}>
                <span class="tick" aria-hidden="true">+</span>Add option '{text.trim()}'
              </div>
            )}
            {!count && <div class="choice faint">nothing found</div>}
          </div>
        </Popover>
      )}
    </>
  );
}

export function CellEditor(props: EditorProps) {
  switch (props.column.type) {
    case 'date':
    case 'datetime': return <DateEditor {...props} />;
    case 'select':
    case 'multi-select':
    case 'relation': return <ChoiceEditor {...props} />;
    default: return <TextEditor {...props} />;
  }
}
