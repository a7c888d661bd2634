// Home: what the workspace holds, for who has not chosen a database yet.
import { openDatabase } from '../state/address';
import { workspace } from '../state/workspace';

export function Home() {
  const known = workspace.value;
  if (!known) return null;
  return (
    <div class="home">
      <h1>{known.root_name}</h1>
      {known.databases.length === 0 && (
        <div class="nothing"><p>No database in this folder yet. A folder of notes becomes one with:</p><code>notesdb infer FOLDER --write</code></div>
      )}
      <table class="home-table">
        <tbody>
          {known.databases.map(one => (
            <tr key={one.id} onClick={() => openDatabase(one.id)}>
              <td><a href={`#/${one.id}`}>{one.name}</a></td>
              <td class="faint">{one.description}</td>
              <td class="tabular">{one.row_count.toLocaleString('en')} {one.row_count === 1 ? 'row' : 'rows'}</td>
              <td class="tabular">{one.issue_count > 0 && <span class="issue-count">{one.issue_count} {one.issue_count === 1 ? 'issue' : 'issues'}</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {known.issues.map((issue, i) => <p key={i} class="issue"><span class="mono">{issue.path}</span> {issue.message}</p>)}
    </div>
  );
}
