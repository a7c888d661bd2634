// FromFolder: folders of notes that are no database yet, with the schema that their notes have
// already. Nothing is written before somebody says so.
import { useEffect, useState } from 'preact/hooks';
import { call, messageOf } from '../api/server';
import type { InferredDatabase } from '../api/types';
import { openDatabase } from '../state/address';
import { remember } from '../state/edits';
import { countOf, loadWorkspace } from '../state/workspace';
import { IssueLine } from './Check';
import { isInferring } from './overlays';

const maxExceptions = 20;

export function FromFolder() {
  const [folder, setFolder] = useState('');
  const [found, setFound] = useState<InferredDatabase[] | null>(null);
  const [problem, setProblem] = useState('');
  const look = async (folders?: string[]) => {
    setProblem('');
    try {
      setFound((await call<{ databases: InferredDatabase[] }>('db_infer', { dry_run: true, ...(folders ? { folders } : {}) })).databases);
    } catch (refused) {
      setProblem(messageOf(refused));
    }
  };
  useEffect(() => void look(), []);
  const keep = async (folders: string[]) => {
    try {
      const { databases } = await call<{ databases: InferredDatabase[] }>('db_infer', { folders });
      for (const one of databases) remember(one.change, `schema of ${one.database_id}`);
      await loadWorkspace();
      isInferring.value = false;
      if (databases.length === 1) openDatabase(databases[0]!.database_id);
    } catch (refused) {
      setProblem(messageOf(refused));
    }
  };
  return (
    <div class="inferred">
      {!found && !problem && <p class="faint" role="status">Reading the notes</p>}
      {found?.length === 0 && <p class="faint">No other folder here holds notes of one kind.</p>}
      {found?.map(one => (
        <section key={one.database_id} class="inferred-one">
          <header>
            <h3>{one.database_id}</h3>
            <span class="faint">{countOf(one.row_count, 'row')}, {countOf(one.schema.columns.length, 'column')}{one.exceptions.length ? `, ${countOf(one.exceptions.length, 'value')} that ${one.exceptions.length === 1 ? 'does' : 'do'} not fit` : ''}</span>
            <span class="grow" />
            <button class="primary" onClick={() => void keep([one.database_id])}>Keep this schema</button>
          </header>
          <p class="inferred-columns">{one.schema.columns.map(column => <span key={column.id}><b>{column.id}</b> <span class="faint">{column.type}</span></span>)}</p>
          <details><summary>The schema file that would be written</summary><pre class="document">{one.document}</pre></details>
          {one.exceptions.length > 0 && <details><summary>What does not fit</summary>{one.exceptions.slice(0, maxExceptions).map((issue, i) => <IssueLine key={i} issue={issue} />)}</details>}
        </section>
      ))}
      {found && found.length > 1 && <div class="buttons"><button onClick={() => void keep(found.map(one => one.database_id))}>Keep all {found.length}</button></div>}
      {problem && <p class="wrong-text" role="alert">{problem}</p>}
      <form class="one-line" onSubmit={event => { event.preventDefault(); if (folder.trim()) void look([folder.trim()]); }}>
        <label>Another folder <input value={folder} placeholder="vault/books" onInput={event => setFolder(event.currentTarget.value)} /></label>
        <button>Look at it</button>
      </form>
      <p class="faint">At the command line: <code>notesdb infer {folder || 'FOLDER'} --write</code></p>
    </div>
  );
}
