// FilterBar: the conditions of a view, as chips and as the text that the command line takes. What the
// engine refuses stands beside the box in its own words.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, messageOf } from '../api/server';
import type { Schema, View } from '../api/types';
import { address, go } from '../state/address';
import { labelOf } from '../state/workspace';
import { Icon } from '../ui/icons';
import { quoted, refusalOfQuestion } from '../table/question';
import { ViewMenus } from '../workspace/ViewMenus';

const operators = ['=', '!=', '<', '<=', '>', '>=', 'contains', 'in', 'is empty', 'is not empty', 'starts with', 'matches'];
const maxSuggestions = 8;

// What may stand next: a field, an operator, an option.
function suggestionsFor(schema: Schema, text: string): { label: string; text: string; hint: string }[] {
  const clause = /(?:^|\s(?:and|or)\s+)([^]*)$/i.exec(text)?.[1] ?? text;
  const before = text.slice(0, text.length - clause.length);
  const [, field = '', rest] = /^(\S*)(\s[^]*)?$/.exec(clause) ?? [];
  if (rest === undefined) {
    const wanted = field.toLowerCase();
    return schema.columns
      .filter(column => column.id.toLowerCase().startsWith(wanted) || labelOf(column).toLowerCase().startsWith(wanted))
      .map(column => ({ label: column.id, text: `${before}${column.id} `, hint: labelOf(column) === column.id ? column.type : labelOf(column) }));
  }
  const column = schema.columns.find(one => one.id === field);
  const said = /^\s+(=|==|!=|<>|in|not in|is|contains|[<>]=?)\s+([^]*)$/i.exec(rest);
  if (!said) {
    const wanted = rest.trim().toLowerCase();
    return operators.filter(operator => operator.startsWith(wanted)).map(operator => ({ label: operator, text: `${before}${field} ${operator} `, hint: '' }));
  }
  const [, operator = '', value = ''] = said;
  const done = value.slice(0, value.lastIndexOf(',') + 1);
  const wanted = value.slice(done.length).trim().toLowerCase().replace(/^"/, '');
  const values = column?.options ?? (column?.type === 'checkbox' ? ['true', 'false'] : column?.type.startsWith('date') ? ['today', 'today+7d', 'today-7d'] : []);
  return values.filter(option => option.toLowerCase().startsWith(wanted) && option.toLowerCase() !== wanted)
    .map(option => ({ label: option, text: `${before}${field} ${operator} ${done}${quoted(option)}`, hint: '' }));
}

export function FilterBar({ schema, view }: { schema: Schema; view: View | null }) {
  const { where } = address.value;
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [at, setAt] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const suggestions = isOpen ? suggestionsFor(schema, text).slice(0, maxSuggestions) : [];
  const wrong = problem || refusalOfQuestion.value;

  useEffect(() => {
    const begin = (event: Event) => { setText((event as CustomEvent<string>).detail); input.current?.focus(); };
    addEventListener('notesdb-filter', begin);
    return () => removeEventListener('notesdb-filter', begin);
  }, []);

  // The engine reads what was typed; what it refuses stays in the box.
  const add = async () => {
    const given = text.trim();
    if (!given) return;
    try {
      await call('db_query', { database_id: schema.database_id, filters: [given], select: ['_id'], limit: 0 });
    } catch (refused) {
      return setProblem(messageOf(refused).replace(/^filters cannot be read: /, ''));
    }
    go({ where: [...address.value.where, given] });
    setText('');
    setProblem('');
  };
  const edit = (index: number) => {
    setText(where[index]!);
    go({ where: where.filter((_, i) => i !== index) });
    input.current?.focus();
  };
  const take = (index: number) => { setText(suggestions[index]!.text); setAt(-1); input.current?.focus(); };
  const key = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step && suggestions.length) { event.preventDefault(); setAt(Math.max(-1, Math.min(suggestions.length - 1, at + step))); return; }
    if (event.key === 'Tab' && suggestions.length && text && !event.shiftKey) { event.preventDefault(); take(Math.max(0, at)); return; }
    if (event.key === 'Enter') { event.preventDefault(); if (at >= 0 && suggestions[at]) take(at); else void add(); return; }
    if (event.key === 'Backspace' && text === '' && where.length) { event.preventDefault(); edit(where.length - 1); return; }
    if (event.key === 'Escape') {
      event.stopPropagation();
      setProblem('');
      if (text) setText('');
      else document.querySelector<HTMLElement>('[role=grid]')?.focus();
    }
  };
  return (
    <div class={`filter ${wrong ? 'wrong' : ''}`}>
      <Icon name="filter" />
      {where.map((condition, index) => (
        <span key={`${index}${condition}`} class="chip">
          <button class="chip-text" title="change this condition" onClick={() => edit(index)}>{condition}</button>
          <button class="chip-x" aria-label={`remove ${condition}`} onClick={() => go({ where: where.filter((_, i) => i !== index) })}>×</button>
        </span>
      ))}
      <div class="filter-box">
        <input ref={input} id="filter" role="combobox" aria-label="filter" aria-expanded={suggestions.length > 0} aria-controls="suggestions"
          aria-activedescendant={at >= 0 ? `suggestion-${at}` : undefined} aria-invalid={wrong !== ''} aria-describedby={wrong ? 'filter-refusal' : undefined}
          placeholder={where.length ? 'and ...' : 'Filter: status = open and due < today'} value={text} spellcheck={false} autocomplete="off"
          onFocus={() => setOpen(true)} onBlur={() => { setOpen(false); setAt(-1); }}
          onInput={event => { setText(event.currentTarget.value); setProblem(''); setAt(-1); }} onKeyDown={key} />
        {suggestions.length > 0 && (
          <div id="suggestions" class="suggestions" role="listbox" aria-label="what may stand here" onMouseDown={event => event.preventDefault()}>
            {suggestions.map((one, index) => (
              <div key={one.label} id={`suggestion-${index}`} role="option" aria-selected={index === at} class={`choice ${index === at ? 'at' : ''}`} onClick={() => take(index)}>
                <span class="grow">{one.label}</span><span class="faint">{one.hint}</span>
              </div>
            ))}
          </div>
        )}
      </div>
      <ViewMenus schema={schema} view={view} />
      {wrong && <span id="filter-refusal" class="filter-refusal" role="alert">{wrong}</span>}
    </div>
  );
}
