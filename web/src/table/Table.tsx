// Table: rows of a database as a grid that is as long as it has rows and draws those in view.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { onRowsChanged } from '../api/events';
import { messageOf } from '../api/server';
import type { Column, Row, Schema, Value } from '../api/types';
import { CellValue } from '../cell/Cell';
import { CellEditor, type Leave } from '../cell/editors';
import { isNumeric, marked, textOf } from '../cell/values';
import { address, go } from '../state/address';
import { batch, Clash, onSaved, redo, saveRow, settled, undo, type Operation } from '../state/edits';
import { preferences, rowHeights } from '../state/preferences';
import { isComputed, isReadOnly, labelOf, titleColumn } from '../state/workspace';
import { say } from '../ui/Toasts';
import { cellsOf, clearOperations, pasteOperations, tsvOf } from './clipboard';
import { Heading } from './Heading';
import { Header } from './Header';
import { Lines, useGroups, type Group } from './groups';
import { RowPages, type Question } from './pages';
import { refusalOfQuestion, titleField } from './question';
import { fitted, idColumn, widthOf, type Widths } from './widths';
import { countOf, isIn, moved, rangeOf, single, targetOf, type Place, type Selection } from './selection';

const headerHeight = 34;
const tallest = 8_000_000;   // what browsers let an element be tall, with room to spare
const overscan = 6;
const maxPasted = 2000;

interface Editing {
  place: Place;
  row: Row;
  typed: string | null;
}

interface Refused {
  place: Place;
  message: string;
  draft: Value;
  clash: Clash | null;
}

// Which part of a long table stands in the window. Beyond the tallest element the scroll bar is a
// scale: its whole way is the way through all rows.
function windowOf(scrollTop: number, view: number, rowHeight: number, rows: number) {
  const whole = rows * rowHeight;
  const height = Math.min(whole, tallest);
  const way = Math.max(1, height - view);
  const top = whole <= tallest ? scrollTop : (Math.min(scrollTop, way) / way) * (whole - view);
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = Math.min(rows - 1, Math.ceil((top + view) / rowHeight) + overscan);
  return { height, first, last, top, shift: scrollTop - top };
}

function scrollFor(row: number, view: number, rowHeight: number, rows: number, edge: 'top' | 'bottom'): number {
  const whole = rows * rowHeight;
  const wanted = edge === 'top' ? row * rowHeight : (row + 1) * rowHeight - view;
  if (whole <= tallest) return wanted;
  return (wanted / (whole - view)) * (tallest - view);
}

interface Props {
  schema: Schema;
  columns: Column[];
  group: Column | undefined;
  question: Question;
}

export function Table({ schema, columns, group, question }: Props) {
  const database = schema.database_id;
  const key = JSON.stringify(question);
  const pages = useMemo(() => new RowPages(question), [key]);
  void pages.version.value;
  const { groups, refusal: groupRefusal } = useGroups(schema, question, group);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => new Lines(groups, closed, pages.total.value ?? 0), [groups, closed, pages.total.value]);
  const rows = group && !groups && !groupRefusal ? 0 : lines.count;
  const size = { rows, columns: columns.length };
  const rowHeight = rowHeights[preferences.value.density];
  const scroller = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, left: 0, width: 1200, height: 800 });
  const [selection, setSelection] = useState<Selection>(single({ row: 0, column: 0 }));
  const [editing, setEditing] = useState<Editing | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const isEditing = useRef(false);
  const missed = useRef(false);
  isEditing.current = editing !== null;

  // Fitted once, to the first rows: nothing moves under the hand afterwards.
  const [fit, setFit] = useState<Widths | null>(null);
  const idWidth = widthOf(database, idColumn, fit ?? {});
  const widths = columns.map(column => widthOf(database, column.id, fit ?? {}));
  const lefts = useMemo(() => widths.reduce<number[]>((sums, width) => [...sums, sums.at(-1)! + width], [0]), [widths.join()]);
  const view_ = Math.max(rowHeight, scroll.height - headerHeight);
  const shown = windowOf(scroll.top, view_, rowHeight, rows);
  const visible: number[] = [];
  for (let index = shown.first; index <= shown.last; ++index) visible.push(index);
  const [firstColumn, lastColumn] = columnsInView(lefts, scroll.left, scroll.width - idWidth);

  useEffect(() => () => pages.close(), [pages]);
  useEffect(() => pages.refusal.subscribe(said => { refusalOfQuestion.value = said || groupRefusal; }), [pages, groupRefusal]);
  useEffect(() => () => { refusalOfQuestion.value = ''; }, []);
  useEffect(() => {
    if (pages.refusal.peek()) return;
    const seen = rows ? visible.map(index => lines.at(index)).flatMap(line => ('row' in line ? [line.row] : [])) : [0];
    pages.want(seen);
  });
  const columnIds = columns.map(column => column.id).join();
  useLayoutEffect(() => {
    const sample = pages.sample();
    const known = fit && columns.every(column => fit[column.id] !== undefined);
    if (sample && !known) setFit({ ...fitted(schema, columns, sample, scroll.width), ...fit });
  }, [pages.version.value, columnIds]);

  // A field that is being typed in is not touched from outside: what came meanwhile is read after it.
  useEffect(() => onRowsChanged(database, () => { if (isEditing.current) missed.current = true; else pages.refresh(); }), [pages]);
  useEffect(() => {
    if (editing || !missed.current) return;
    missed.current = false;
    pages.refresh();
  }, [editing, pages]);
  useEffect(() => onSaved((changed, row) => { if (changed === database) pages.patch(row.id, fieldsSeen(row, columns), row.etag); }), [pages, columns]);

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => setScroll({ top: element.scrollTop, left: element.scrollLeft, width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => { scroller.current?.focus({ preventScroll: true }); }, [database]);
  useEffect(() => {
    if (pages.total.peek() !== null) setSelection(old => moved(old, old.at, { rows: Math.max(1, rows), columns: columns.length }, false));
  }, [pages, rows, columns.length]);

  const reveal = useCallback((at: Place) => {
    const element = scroller.current!;
    const height = Math.max(rowHeight, element.clientHeight - headerHeight);
    const { top } = windowOf(element.scrollTop, height, rowHeight, rows);
    if (at.row * rowHeight < top) element.scrollTop = scrollFor(at.row, height, rowHeight, rows, 'top');
    else if ((at.row + 1) * rowHeight > top + height) element.scrollTop = scrollFor(at.row, height, rowHeight, rows, 'bottom');
    const left = lefts[at.column] ?? 0;
    const right = lefts[at.column + 1] ?? left;
    const width = element.clientWidth - idWidth;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (right > element.scrollLeft + width) element.scrollLeft = right - width;
  }, [rowHeight, rows, lefts]);

  const moveTo = (to: Place, extend = false) => {
    const next = moved(selection, to, size, extend);
    setSelection(next);
    reveal(next.at);
  };
  const rowAt = (index: number) => {
    const line = lines.at(index);
    return 'row' in line ? pages.row(line.row) : undefined;
  };
  const toggle = (heading: Group) => setClosed(old => {
    const next = new Set(old);
    if (!next.delete(heading.key)) next.add(heading.key);
    return next;
  });
  const canWrite = !isReadOnly.value;

  const beginEdit = (place: Place, typed: string | null = null) => {
    const column = columns[place.column];
    const row = rowAt(place.row);
    if (!column || !row) return;
    if (!canWrite) return say('This workspace is read-only');
    if (isComputed(column)) return say(`${labelOf(column)} is computed; change what it is computed from`);
    if (column.type === 'json') return go({ row: row.id });
    setRefused(null);
    if (column.type === 'checkbox') return void keep({ place, row, typed: null }, row.fields[column.id] !== true, 'stay');
    setEditing({ place, row, typed });
  };

  const keep = async (edit: Editing, value: Value, leave: Leave) => {
    const column = columns[edit.place.column]!;
    const before = edit.row.fields[column.id];
    setEditing(null);
    scroller.current?.focus({ preventScroll: true });
    const step = { stay: [0, 0], down: [1, 0], up: [-1, 0], right: [0, 1], left: [0, -1] }[leave] as [number, number];
    if (leave !== 'stay') moveTo({ row: edit.place.row + step[0], column: edit.place.column + step[1] });
    if (JSON.stringify(value) === JSON.stringify(before ?? null)) return;
    pages.patch(edit.row.id, { [column.id]: value });
    try {
      await saveRow(database, edit.row, { fields: { [column.id]: value } });
    } catch (problem) {
      pages.patch(edit.row.id, { [column.id]: before ?? null });
      const clash = problem instanceof Clash ? problem : null;
      if (clash) pages.patch(edit.row.id, fieldsSeen(clash.row, columns), clash.row.etag);
      setRefused({ place: edit.place, message: messageOf(problem), draft: value, clash });
    }
  };

  // The operations are made once earlier writes have given the rows their etags.
  const runBatch = async (operationsNow: () => Operation[], what: string) => {
    await settled();
    const operations = operationsNow();
    if (!operations.length) return;
    try {
      await batch(operations, what);
      for (const { row_id, fields } of operations) pages.patch(row_id!, fields!);
    } catch (problem) {
      say(messageOf(problem), undefined, 'wrong');
    }
    pages.refresh();
  };

  const onKey = (event: KeyboardEvent) => {
    if (editing || event.defaultPrevented || event.target !== scroller.current) return;
    const { at } = selection;
    const command = event.ctrlKey || event.metaKey;
    const column = columns[at.column];
    const row = rowAt(at.row);
    const pageSize = Math.max(1, Math.floor(view_ / rowHeight) - 1);
    const target = event.key === 'Tab' ? null : targetOf(event, at, size, pageSize);
    if (target) {
      event.preventDefault();
      return moveTo(target, event.shiftKey);
    }
    const line = lines.at(at.row);
    if ('heading' in line && rows && !command && ['Enter', ' ', 'F2'].includes(event.key)) {
      event.preventDefault();
      return toggle(line.heading);
    }
    const handled = (): boolean => {
      if (command && event.key.toLowerCase() === 'a') { setSelection({ anchor: { row: 0, column: 0 }, at: { row: rows - 1, column: columns.length - 1 } }); return true; }
      if (command && event.key.toLowerCase() === 'z') { void (event.shiftKey ? redo() : undo()); return true; }
      if (command && event.key.toLowerCase() === 'y') { void redo(); return true; }
      if (command && event.key === ' ') { setSelection({ anchor: { row: 0, column: at.column }, at: { row: rows - 1, column: at.column } }); return true; }
      if (command) return false;
      if (event.key === ' ' && event.shiftKey) { setSelection({ anchor: { row: at.row, column: 0 }, at: { row: at.row, column: columns.length - 1 } }); return true; }
      if (event.key === ' ') { if (column?.type === 'checkbox' && canWrite) beginEdit(at); else if (row) go({ row: address.value.row === row.id ? null : row.id }); return true; }
      if (event.key === 'Tab') {
        const to = at.column + (event.shiftKey ? -1 : 1);
        if (to < 0 || to >= columns.length) return false;
        moveTo({ row: at.row, column: to });
        return true;
      }
      if (event.key === 'Enter' || event.key === 'F2') { beginEdit(at); return true; }
      if (event.key === 'Escape') {
        if (refused) setRefused(null);
        else if (countOf(rangeOf(selection)) > 1) setSelection(single(at));
        else if (address.value.row) go({ row: null });
        return true;
      }
      if (event.key === 'Delete' || event.key === 'Backspace') {
        if (!canWrite) { say('This workspace is read-only'); return true; }
        const range = rangeOf(selection);
        void runBatch(() => clearOperations({ ...range, bottom: Math.min(range.bottom, range.top + maxPasted) }, columns, database, rowAt), 'cleared cells');
        return true;
      }
      if ('/?n'.includes(event.key) || (event.key === 'g')) return false;
      if (event.key.length === 1 && !event.altKey) { beginEdit(at, event.key); return true; }
      return false;
    };
    if (handled()) event.preventDefault();
  };

  const onCopy = (event: ClipboardEvent) => {
    if (editing || event.target !== scroller.current) return;
    event.preventDefault();
    const range = rangeOf(selection);
    event.clipboardData?.setData('text/plain', tsvOf({ ...range, bottom: Math.min(range.bottom, range.top + maxPasted) }, columns, rowAt));
  };
  const onPaste = (event: ClipboardEvent) => {
    if (editing || event.target !== scroller.current) return;
    event.preventDefault();
    if (!canWrite) return say('This workspace is read-only');
    const cells = cellsOf(event.clipboardData?.getData('text/plain') ?? '');
    const range = rangeOf(selection);
    const paste = () => pasteOperations(cells, range, columns, database, rowAt);
    const { leftOut, operations } = paste();
    if (leftOut) say(`${leftOut} ${leftOut === 1 ? 'cell was' : 'cells were'} left out: beyond the last row, or computed`);
    void runBatch(() => paste().operations, `paste into ${operations.length} ${operations.length === 1 ? 'row' : 'rows'}`);
  };

  const placeOf = (target: EventTarget | null): Place | null => {
    const cell = (target as Element | null)?.closest?.<HTMLElement>('[data-cell]');
    const [row, column] = cell?.dataset.cell?.split(',').map(Number) ?? [];
    return row === undefined || column === undefined ? null : { row, column };
  };
  const onPointerDown = (event: PointerEvent) => {
    const place = placeOf(event.target);
    if (!place || event.button !== 0 || (event.target as Element).closest('a, .editor, .popover, .row-open')) return;
    if (editing) return;
    setRefused(null);
    setSelection(moved(selection, place, size, event.shiftKey));
    const column = columns[place.column];
    if (column?.type === 'checkbox' && (event.target as Element).closest('.check')) return beginEdit(place);
    const drag = (move: PointerEvent) => {
      const to = placeOf(document.elementFromPoint(move.clientX, move.clientY));
      if (to) setSelection(old => moved(old, to, size, true));
    };
    const end = () => { removeEventListener('pointermove', drag); removeEventListener('pointerup', end); };
    addEventListener('pointermove', drag);
    addEventListener('pointerup', end);
  };

  const range = rangeOf(selection);
  const wide = idWidth + lefts.at(-1)!;
  const titles = useMemo(() => columns.map(titleField), [key]);
  const named = titleColumn(schema)?.id;
  const slots = visible.length || 1;
  return (
    <>
      <div
        ref={scroller}
        class="grid"
        role="grid"
        tabIndex={0}
        aria-label={`${schema.name}, table`}
        aria-rowcount={rows + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-readonly={!canWrite}
        aria-activedescendant={rows ? `cell-${selection.at.row}-${selection.at.column}` : undefined}
        onScroll={event => { const { scrollTop, scrollLeft, clientWidth, clientHeight } = event.currentTarget; setScroll({ top: scrollTop, left: scrollLeft, width: clientWidth, height: clientHeight }); }}
        onKeyDown={onKey}
        onCopy={onCopy}
        onPaste={onPaste}
        onPointerDown={onPointerDown}
        onDblClick={event => { const place = placeOf(event.target); if (place) beginEdit(place); }}
      >
        <Header database={database} columns={columns} lefts={lefts} idWidth={idWidth} first={firstColumn} last={lastColumn} wide={wide} />
        <div class="grid-body" role="presentation" style={{ height: `${shown.height}px`, width: `${wide}px` }}>
          {fit && visible.map(index => {
            const line = lines.at(index);
            if ('heading' in line)
              return <Heading key={index % slots} id={`cell-${index}-${selection.at.column}`} group={line.heading} column={group!} isClosed={lines.isClosed(line.heading)} isAt={selection.at.row === index} place={`${index},${selection.at.column}`}
                index={index} top={index * rowHeight + shown.shift} columns={columns.length + 1} onToggle={() => toggle(line.heading)} />;
            const row = rowAt(index);
            const isOpen = row !== undefined && row.id === address.value.row;
            return (
              <div key={index % slots} role="row" aria-rowindex={index + 2} class={`row ${isOpen ? 'open' : ''} ${refused?.place.row === index ? 'lifted' : ''}`} style={{ transform: `translateY(${index * rowHeight + shown.shift}px)`, width: `${wide}px` }}>
                <div role="rowheader" class="cell id" aria-colindex={1} style={{ width: `${idWidth}px` }}>
                  <RowName id={row?.id ?? ''} />
                  {row?.issues?.length ? <span class="issue-dot" title={row.issues.map(issue => `line ${issue.line ?? '?'}: ${issue.message}`).join('\n')} role="img" aria-label={`${row.issues.length} issues`}>!</span> : null}
                  {row && <button class="row-open" tabIndex={-1} aria-label={`open ${row.id}`} onClick={() => go({ row: row.id })}>Open</button>}
                </div>
                {columns.slice(firstColumn, lastColumn + 1).map((column, offset) => {
                  const at = firstColumn + offset;
                  const isAt = selection.at.row === index && selection.at.column === at;
                  const refuses = refused?.place.row === index && refused.place.column === at && row !== undefined;
                  const edits = editing?.place.row === index && editing.place.column === at;
                  return (
                    <div
                      key={column.id}
                      id={`cell-${index}-${at}`}
                      role="gridcell"
                      aria-colindex={at + 2}
                      aria-selected={isIn(range, index, at)}
                      data-cell={`${index},${at}`}
                      class={`cell ${column.id === named ? 'title' : ''} ${isNumeric(column) ? 'number' : ''} ${isDateLike(column) ? 'tabular' : ''} ${isAt ? 'at' : isIn(range, index, at) ? 'in' : ''} ${edits ? 'editing' : ''} ${refuses ? 'refused' : ''}`}
                      style={{ left: `${idWidth + lefts[at]!}px`, width: `${widths[at]}px` }}
                    >
                      {edits
                        ? <CellEditor database={database} column={column} value={editing.row.fields[column.id]} typed={editing.typed} label={`${labelOf(column)} of ${editing.row.id}`}
                            onKeep={(value, leave) => void keep(editing, value, leave)} onCancel={() => { setEditing(null); scroller.current?.focus({ preventScroll: true }); }} />
                        : row && <CellValue column={column} fields={row.fields} titles={titles[at] ? row.fields[titles[at]!] : undefined} />}
                      {refuses && (
                        <RefusalBeside refused={refused} column={column}
                          onAgain={() => { setRefused(null); setEditing({ place: refused.place, row, typed: textOf(refused.draft) }); }}
                          onMine={() => { setRefused(null); void keep({ place: refused.place, row: refused.clash!.row, typed: null }, refused.draft, 'stay'); }}
                          onClose={() => { setRefused(null); scroller.current?.focus({ preventScroll: true }); }} />
                      )}
                    </div>
                  );
                })}
              </div>
            );
          })}
        </div>
        {pages.total.value === 0 && !pages.refusal.value && <Nothing />}
      </div>
      <Footer pages={pages} rowAt={rowAt} selection={selection} columns={columns} />
    </>
  );
}

const isDateLike = (column: Column): boolean => column.type === 'date' || column.type === 'datetime';

// A row by its id; of one in a folder its name stays when there is little room.
function RowName({ id }: { id: string }) {
  const cut = id.lastIndexOf('/') + 1;
  return <span class="mono row-name" title={id}>{cut > 0 && <span class="row-folder">{marked(id.slice(0, cut))}</span>}<span class="clip">{marked(id.slice(cut))}</span></span>;
}

// Of a whole row the fields that the table shows; a cleared one is told as null.
function fieldsSeen(row: Row, columns: Column[]) {
  return Object.fromEntries(columns.filter(column => !isComputed(column)).map(column => [column.id, row.fields[column.id] ?? null]));
}

function columnsInView(lefts: number[], left: number, width: number): [number, number] {
  const last = lefts.length - 2;
  let first = 0;
  while (first < last && lefts[first + 1]! < left - 200) ++first;
  let end = first;
  while (end < last && lefts[end + 1]! < left + width + 200) ++end;
  return [first, end];
}

interface RefusalProps {
  refused: Refused;
  column: Column;
  onAgain: () => void;
  onMine: () => void;
  onClose: () => void;
}

// Why a value was not taken, beside its cell, with what can be done about it.
function RefusalBeside({ refused, column, onAgain, onMine, onClose }: RefusalProps) {
  const { clash, draft, message } = refused;
  return (
    <div class="refusal popover-like" role="alert" onPointerDown={event => event.stopPropagation()}>
      <p>{message}</p>
      {clash && (
        <dl class="three">
          <dt>before</dt><dd>{textOf(clash.base) || '(empty)'}</dd>
          <dt>theirs</dt><dd>{textOf(clash.theirs) || '(empty)'}</dd>
          <dt>yours</dt><dd>{textOf(draft) || '(empty)'}</dd>
        </dl>
      )}
      <div class="buttons">
        {clash ? <button class="primary" onClick={onMine}>Write mine</button> : column.type !== 'checkbox' && <button class="primary" onClick={onAgain}>Edit again</button>}
        <button onClick={onClose}>{clash ? 'Keep theirs' : 'Leave it'}</button>
      </div>
    </div>
  );
}

function Nothing() {
  const { where, database } = address.value;
  return (
    <div class="nothing">
      {where.length
        ? <><p>No row matches.</p><button onClick={() => go({ where: [] })}>Clear the filter</button></>
        : <><p>No rows yet. Press <kbd>n</kbd> for the first one, or at the command line:</p><code>notesdb insert {database} --set title=...</code></>}
    </div>
  );
}

// What is selected: how many cells, and the sum of numbers in it.
function Footer({ pages, rowAt, selection, columns }: { pages: RowPages; rowAt: (index: number) => Row | undefined; selection: Selection; columns: Column[] }) {
  const range = rangeOf(selection);
  const cells = countOf(range);
  const numbers: number[] = [];
  if (cells > 1 && range.bottom - range.top < maxPasted)
    for (let row = range.top; row <= range.bottom; ++row)
      for (let column = range.left; column <= range.right; ++column) {
        const value = rowAt(row)?.fields[columns[column]?.id ?? ''];
        if (typeof value === 'number') numbers.push(value);
      }
  const total = pages.total.value;
  return (
    <div class="footer">
      <span class="count">{total === null ? 'reading' : `${total.toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}`}</span>
      {pages.notice.value && <span class="faint">{pages.notice.value}</span>}
      <span class="grow" />
      {cells > 1 && <span>{cells.toLocaleString('en')} cells</span>}
      {numbers.length > 1 && <span>sum {Number(numbers.reduce((sum, one) => sum + one, 0).toPrecision(12))}</span>}
      {numbers.length > 1 && <span>avg {Number((numbers.reduce((sum, one) => sum + one, 0) / numbers.length).toPrecision(6))}</span>}
    </div>
  );
}
