// NewRow: what a new row cannot do without, and then the row itself opens beside the list.
import { useState } from 'preact/hooks';
import { messageOf } from '../api/server';
import type { Fields, Schema } from '../api/types';
import { textOf, valueOf } from '../cell/values';
import { go } from '../state/address';
import { insertRow } from '../state/edits';
import { labelOf, titleColumn } from '../state/workspace';
import { Dialog } from '../ui/Dialog';
import { newRow } from './overlays';

export function NewRow({ schema }: { schema: Schema }) {
  if (newRow.value === null) return null;
  return <Form key={schema.database_id} schema={schema} preset={newRow.value} />;
}

function Form({ schema, preset }: { schema: Schema; preset: Fields }) {
  const title = titleColumn(schema);
  const asked = schema.columns.filter(column => column === title || column.id in preset || (column.required && column.type !== 'checkbox'));
  const [typed, setTyped] = useState<Record<string, string>>(() => Object.fromEntries(Object.entries(preset).map(([id, value]) => [id, textOf(value)])));
  const [template, setTemplate] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const close = () => { newRow.value = null; };
  const templates = Object.entries(schema.templates ?? {});
  const insert = async (event: Event) => {
    event.preventDefault();
    const fields: Fields = {};
    for (const column of asked) if (typed[column.id]?.trim()) fields[column.id] = valueOf(column, typed[column.id]!);
    setBusy(true);
    try {
      const row = await insertRow(schema.database_id, fields, template || undefined);
      close();
      go({ row: row.id });
    } catch (refused) {
      setProblem(messageOf(refused));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={`new row in ${schema.name}`} onClose={close}>
      <form class="form" onSubmit={event => void insert(event)}>
        <h2>New row in {schema.name}</h2>
        {templates.length > 0 && (
          <label>Template
            <select value={template} onChange={event => setTemplate(event.currentTarget.value)}>
              <option value="">none</option>
              {templates.map(([key, one]) => <option key={key} value={key}>{one.name ?? key}</option>)}
            </select>
          </label>
        )}
        {asked.map(column => (
          <label key={column.id}>{labelOf(column)}{column.required ? ' *' : ''}
            {column.type === 'select' ? (
              <select value={typed[column.id] ?? ''} onChange={event => setTyped({ ...typed, [column.id]: event.currentTarget.value })}>
                <option value="">default</option>
                {column.options?.map(option => <option key={option} value={option}>{option}</option>)}
              </select>
            ) : (
              <input autofocus={column === title} value={typed[column.id] ?? ''} placeholder={column.type === 'date' ? '2026-01-31' : ''} onInput={event => setTyped({ ...typed, [column.id]: event.currentTarget.value })} />
            )}
          </label>
        ))}
        {problem && <p class="wrong-text" role="alert">{problem}</p>}
        <div class="buttons"><button class="primary" type="submit" disabled={isBusy}>Insert</button><button type="button" onClick={close}>Cancel</button></div>
      </form>
    </Dialog>
  );
}
