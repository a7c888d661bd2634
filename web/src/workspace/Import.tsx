// Import: the records of a file that was dropped or chosen, as rows. What would happen is shown first.
import { useEffect, useState } from 'preact/hooks';
import { call, messageOf, Refusal } from '../api/server';
import type { ImportAnswer, Issue } from '../api/types';
import { address, openDatabase } from '../state/address';
import { remember, undo } from '../state/edits';
import { countOf, loadWorkspace, workspace } from '../state/workspace';
import { Dialog } from '../ui/Dialog';
import { say } from '../ui/Toasts';
import { IssueLine } from './Check';
import { importing, type Dropped } from './overlays';
import { idOf } from './Toolbar';

const maxShownIssues = 50;
const maxShownDiff = 4000;
const pauseMs = 250;

const formats: Record<string, string> = { csv: 'csv', tsv: 'tsv', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' };
export const formatOf = (name: string): string | undefined => formats[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];

function separatorOf(text: string): string {
  const header = text.slice(0, Math.max(0, text.indexOf('\n')) || text.length);
  return header.split(';').length > header.split(',').length ? 'semicolon' : 'comma';
}

function argumentsOf({ name, text }: Dropped, database: string, isNew: boolean) {
  const format = formatOf(name) ?? 'csv';
  return { database_id: database, text, format, file_name: name, ...(format === 'csv' ? { separator: separatorOf(text) } : {}), ...(isNew ? { create: true } : {}) };
}

export function Import() {
  const file = importing.value!;
  const [target, setTarget] = useState(address.value.database ?? '');
  const [name, setName] = useState(idOf(file.name.replace(/\.[^.]*$/, '')));
  const [plan, setPlan] = useState<ImportAnswer | null>(null);
  const [problem, setProblem] = useState('');
  const [issues, setIssues] = useState<Issue[]>([]);
  const isNew = target === '';
  const database = isNew ? name : target;
  const close = () => { importing.value = null; };
  const refuse = (refused: unknown) => {
    setPlan(null);
    setProblem(messageOf(refused));
    setIssues(refused instanceof Refusal ? refused.facts.issues ?? [] : []);
  };
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call<ImportAnswer>('db_import', { ...argumentsOf(file, database, isNew), dry_run: true }, stop.signal)
        .then(answer => { setPlan(answer); setProblem(''); setIssues([]); }, refused => { if (!stop.signal.aborted) refuse(refused); });
    }, pauseMs);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [file, database, isNew]);
  const run = async () => {
    try {
      const answer = await call<ImportAnswer>('db_import', argumentsOf(file, database, isNew));
      remember(answer.change, `import of ${file.name}`);
      await loadWorkspace();
      close();
      openDatabase(database);
      say(`Imported ${countOf(answer.inserted, 'row')}`, { label: 'Undo', run: () => void undo() });
    } catch (refused) {
      refuse(refused);
    }
  };
  return (
    <Dialog title={`import ${file.name}`} class="wide" onClose={close}>
      <form class="form" onSubmit={event => { event.preventDefault(); void run(); }}>
        <h2>Import {file.name}</h2>
        <label>Into
          <select value={target} onChange={event => setTarget(event.currentTarget.value)}>
            <option value="">a new database</option>
            {workspace.value?.databases.map(one => <option key={one.id} value={one.id}>{one.name}</option>)}
          </select>
        </label>
        {isNew && <label>Its folder<input value={name} onInput={event => setName(event.currentTarget.value)} /></label>}
        {plan && <p role="status">{countOf(plan.inserted, 'row')} would be inserted{plan.created ? ' into a new database, with a column for each of the file' : ''}.</p>}
        {plan?.diff && <details><summary>The files that would be written</summary><pre class="document">{plan.diff.slice(0, maxShownDiff)}{plan.diff.length > maxShownDiff ? '\n...' : ''}</pre></details>}
        {problem && <p class="wrong-text" role="alert">{problem}</p>}
        {issues.length > 0 && <div class="import-issues">{issues.slice(0, maxShownIssues).map((issue, i) => <IssueLine key={i} issue={issue} />)}{issues.length > maxShownIssues && <p class="faint">{countOf(issues.length - maxShownIssues, 'more problem')}</p>}</div>}
        <p class="faint">At the command line: <code>notesdb import {database} {file.name}{isNew ? ' --create' : ''}</code></p>
        <div class="buttons"><button class="primary" type="submit" disabled={!plan}>Import</button><button type="button" onClick={close}>Cancel</button></div>
      </form>
    </Dialog>
  );
}
