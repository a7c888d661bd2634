// Home: what the workspace holds, for who has not chosen a database yet.
import { hrefOf, openCheck, openDatabase } from '../state/address';
import { countOf, isReadOnly, workspace } from '../state/workspace';
import { lazy } from '../ui/lazy';
import { chooseFile } from './drop';
import { isCreating, isInferring, isPaletteOpen } from './overlays';
import { SidebarToggle } from './Sidebar';

const FromFolder = lazy(() => import('./FromFolder').then(part => part.FromFolder));

export function Home() {
  const known = workspace.value;
  if (!known) return null;
  const isEmpty = known.databases.length === 0;
  const rows = known.databases.reduce((sum, one) => sum + one.row_count, 0);
  const issues = known.databases.reduce((sum, one) => sum + one.issue_count, 0);
  return (
    <div class="page home">
      <header class="page-head">
        <SidebarToggle />
        <h1>{known.root_name}</h1><span class="grow" />
        {!isEmpty && <button onClick={() => { isPaletteOpen.value = true; }}>Search all</button>}
        {!isEmpty && <button onClick={() => openCheck(null)}>What is wrong</button>}
      </header>
      {isEmpty ? (
        <>
          <p>No folder here is a database yet.{isReadOnly.value ? '' : ' These hold notes of one kind; keeping the schema that their notes have already writes one file, _schema.md.'}</p>
          {!isReadOnly.value && <FromFolder />}
        </>
      ) : (
        <>
          <p class="faint">{countOf(known.databases.length, 'database')}, {countOf(rows, 'row')}{issues > 0 ? `, ${countOf(issues, 'issue')}` : ''}</p>
          <table class="home-table">
            <thead><tr><th>Database</th><th>What it is for</th><th class="number">Rows</th><th class="number">Columns</th><th>Issues</th></tr></thead>
            <tbody>
              {known.databases.map(one => (
                <tr key={one.id} onClick={event => { if (!(event.target as Element).closest('a, button')) openDatabase(one.id); }}>
                  <td><a href={hrefOf(one.id)}>{one.name}</a></td>
                  <td class="faint">{one.description ?? <span class="mono">{one.id}</span>}</td>
                  <td class="number tabular">{one.row_count.toLocaleString('en')}</td>
                  <td class="number tabular faint">{one.column_count}</td>
                  <td>{one.issue_count > 0 && <button class="issue-count" onClick={() => openCheck(one.id)}>{countOf(one.issue_count, 'issue')}</button>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {known.issues.map((issue, i) => <p key={i} class="issue"><span class="mono">{issue.path}</span> {issue.message}</p>)}
      {!isReadOnly.value && (
        <div class="buttons">
          <button onClick={() => { isCreating.value = true; }}>New database</button>
          {!isEmpty && <button onClick={() => { isInferring.value = true; }}>From a folder of notes</button>}
          <button onClick={chooseFile}>From a file</button>
          <span class="faint">or drop a CSV anywhere</span>
        </div>
      )}
    </div>
  );
}
