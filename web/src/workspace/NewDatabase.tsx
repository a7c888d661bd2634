// NewDatabase: a name and its columns, made by hand.
import { useState } from 'preact/hooks';
import { call, messageOf } from '../api/server';
import type { ColumnType } from '../api/types';
import { openDatabase } from '../state/address';
import { remember } from '../state/edits';
import { loadWorkspace, workspace } from '../state/workspace';
import { Dialog } from '../ui/Dialog';
import { Icon } from '../ui/icons';
import { isCreating } from './overlays';
import { idOf } from './Toolbar';

interface Draft {
  name: string;
  type: ColumnType;
  more: string;   // options, or the database that a relation leads to
}

const types: ColumnType[] = ['text', 'number', 'checkbox', 'date', 'datetime', 'select', 'multi-select', 'url', 'relation', 'list', 'json'];

function columnOf({ name, type, more }: Draft) {
  const column = { id: idOf(name), type, ...(idOf(name) === name ? {} : { name }) };
  if (type === 'select' || type === 'multi-select') return { ...column, options: more.split(',').map(one => one.trim()).filter(Boolean) };
  return type === 'relation' ? { ...column, target: more } : column;
}

export function NewDatabase() {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [columns, setColumns] = useState<Draft[]>([{ name: 'Title', type: 'text', more: '' }]);
  const [problem, setProblem] = useState('');
  const close = () => { isCreating.value = false; };
  const change = (index: number, part: Partial<Draft>) => setColumns(columns.map((one, i) => (i === index ? { ...one, ...part } : one)));
  const create = async (event: Event) => {
    event.preventDefault();
    try {
      const answer = await call<{ database: { database_id: string }; change?: string }>('db_create', {
        name, ...(description.trim() ? { description } : {}), columns: columns.filter(one => one.name.trim()).map(columnOf),
      });
      remember(answer.change, `new database ${name}`);
      await loadWorkspace();
      close();
      openDatabase(answer.database.database_id);
    } catch (refused) {
      setProblem(messageOf(refused));
    }
  };
  return (
    <Dialog title="new database" class="wide" onClose={close}>
      <form class="form" onSubmit={event => void create(event)}>
        <h2>New database</h2>
        <label>Name<input autofocus value={name} placeholder="Reading list" onInput={event => setName(event.currentTarget.value)} /></label>
        <label>What it is for<input value={description} placeholder="optional" onInput={event => setDescription(event.currentTarget.value)} /></label>
        <fieldset class="new-columns">
          <legend>Columns</legend>
          {columns.map((column, i) => (
            <div key={i} class="new-column">
              <input aria-label={`name of column ${i + 1}`} value={column.name} placeholder="Name" onInput={event => change(i, { name: event.currentTarget.value })} />
              <select aria-label={`type of column ${i + 1}`} value={column.type} onChange={event => change(i, { type: event.currentTarget.value as ColumnType, more: '' })}>
                {types.map(type => <option key={type} value={type}>{type}</option>)}
              </select>
              {column.type === 'relation' ? (
                <select aria-label={`database that column ${i + 1} leads to`} value={column.more} onChange={event => change(i, { more: event.currentTarget.value })}>
                  <option value="">database</option>
                  {workspace.value?.databases.map(one => <option key={one.id} value={one.id}>{one.name}</option>)}
                </select>
              ) : column.type === 'select' || column.type === 'multi-select' ? (
                <input aria-label={`options of column ${i + 1}`} value={column.more} placeholder="open, doing, done" onInput={event => change(i, { more: event.currentTarget.value })} />
              ) : <span />}
              <button type="button" class="quiet" aria-label={`remove column ${i + 1}`} onClick={() => setColumns(columns.filter((_, at) => at !== i))}><Icon name="close" /></button>
            </div>
          ))}
          <button type="button" class="quiet" onClick={() => setColumns([...columns, { name: '', type: 'text', more: '' }])}><Icon name="plus" />Add a column</button>
        </fieldset>
        {problem && <p class="wrong-text" role="alert">{problem}</p>}
        <div class="buttons"><button class="primary" type="submit">Create</button><button type="button" onClick={close}>Cancel</button></div>
      </form>
    </Dialog>
  );
}
