// Palette: rows of all databases by their words, and what can be done here, from one box.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call, messageOf } from '../api/server';
import type { Found } from '../api/types';
import { marked } from '../cell/values';
import { address, go, openCheck, openDatabase } from '../state/address';
import { redo, undo } from '../state/edits';
import { prefer, preferences } from '../state/preferences';
import { isBaseView, isReadOnly, schema, workspace } from '../state/workspace';
import { Dialog } from '../ui/Dialog';
import { chooseFile } from './drop';
import { isCreating, isHelpOpen, isInferring, isPaletteOpen, openNewRow } from './overlays';

interface Item {
  key: string;
  label: string;
  hint: string;
  detail?: string;
  run: () => void;
}

const searchPauseMs = 120;

function actions(): Item[] {
  const here = schema.value;
  const list: Item[] = [];
  const add = (label: string, hint: string, run: () => void) => list.push({ key: label, label, hint, run });
  for (const one of workspace.value?.databases ?? []) add(`Open ${one.name}`, `${one.row_count} rows`, () => openDatabase(one.id));
  for (const one of here?.views ?? []) add(`Show ${one.name ?? one.id}`, one.type ?? 'table', () => go({ view: one.id, columns: null, ...(isBaseView(one) ? { where: [], sort: [], group: null } : {}) }));
  if (here && !isReadOnly.value) add(`New row in ${here.name}`, 'n', () => openNewRow());
  if (!isReadOnly.value) { add('Undo', 'Ctrl Z', () => void undo()); add('Redo', 'Ctrl Shift Z', () => void redo()); }
  if (!isReadOnly.value) { add('New database', '', () => { isCreating.value = true; }); add('Database from a folder of notes', '', () => { isInferring.value = true; }); add('Import a file', '', chooseFile); }
  add('What is wrong', 'check', () => openCheck(null));
  if (here) add(`What is wrong in ${here.name}`, 'check', () => openCheck(here.database_id));
  add('Keys', '?', () => { isHelpOpen.value = true; });
  add('Light or dark', '', () => prefer({ theme: preferences.value.theme === 'dark' ? 'light' : 'dark' }));
  return list;
}

function useFound(text: string): { found: Found[]; total: number; problem: string } {
  const [state, setState] = useState<{ found: Found[]; total: number; problem: string }>({ found: [], total: 0, problem: '' });
  useEffect(() => {
    if (text.trim().length < 2) { setState({ found: [], total: 0, problem: '' }); return; }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call<{ rows: Found[]; total: number }>('db_search', { text: /[\s"*-]/.test(text) ? text : `${text}*`, limit: 30 }, stop.signal)
        .then(answer => setState({ found: answer.rows, total: answer.total, problem: '' }), refused => { if (!stop.signal.aborted) setState({ found: [], total: 0, problem: messageOf(refused) }); });
    }, searchPauseMs);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [text]);
  return state;
}

export function Palette() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const { found, total, problem } = useFound(text);
  const close = () => { isPaletteOpen.value = false; };
  const wanted = text.trim().toLowerCase();
  const items = useMemo<Item[]>(() => [
    ...found.map(one => ({
      key: `${one.database_id}/${one.id}`, label: one.title || marked(one.id), hint: one.database_id, detail: one.snippet,
      run: () => (one.database_id === address.value.database ? go({ row: one.id }) : (openDatabase(one.database_id), go({ row: one.id }, 'replace'))),
    })),
    ...actions().filter(action => wanted === '' || action.label.toLowerCase().includes(wanted)),
  ], [found, wanted]);
  useEffect(() => setAt(0), [text, found]);
  useEffect(() => list.current?.querySelector('.at')?.scrollIntoView({ block: 'nearest' }), [at]);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    close();
    item.run();
  };
  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step) { event.preventDefault(); setAt((at + step + items.length) % Math.max(1, items.length)); }
    if (event.key === 'Enter') { event.preventDefault(); choose(items[at]); }
  };
  return (
    <Dialog title="search and commands" class="palette" onClose={close}>
      <input autofocus role="combobox" aria-label="search rows and commands" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={items.length ? `palette-${at}` : undefined}
        placeholder="Search all rows, or a command" value={text} spellcheck={false} onInput={event => setText(event.currentTarget.value)} onKeyDown={key} />
      <div ref={list} id="palette-list" class="palette-list" role="listbox" aria-label="found">
        {items.map((item, index) => (
          <div key={item.key} id={`palette-${index}`} role="option" aria-selected={index === at} class={`choice ${index === at ? 'at' : ''}`} onPointerMove={() => { if (at !== index) setAt(index); }} onClick={() => choose(item)}>
            <span class="grow clip"><span>{item.label}</span>{item.detail && <span class="faint snippet"> {item.detail}</span>}</span>
            <span class="faint">{item.hint}</span>
          </div>
        ))}
        {problem && <p class="wrong-text pad" role="alert">{problem}</p>}
        {!items.length && !problem && <p class="faint pad">Nothing found. The same at the command line: notesdb search '{text}'</p>}
      </div>
      {total > found.length && <p class="faint pad">{total.toLocaleString('en')} rows match; the best {found.length} are here</p>}
    </Dialog>
  );
}
