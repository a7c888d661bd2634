// Sidebar: the databases of the workspace, how many rows each has and where something is wrong.
import { address, openDatabase } from '../state/address';
import { preferences, prefer, type Theme } from '../state/preferences';
import { isReadOnly, workspace } from '../state/workspace';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/Menu';
import { isHelpOpen, isPaletteOpen } from './overlays';

const themes: Theme[] = ['system', 'light', 'dark'];

export function Sidebar() {
  const known = workspace.value;
  const { theme } = preferences.value;
  return (
    <nav class="sidebar" aria-label="databases">
      <div class="sidebar-head">
        <a class="workspace-name" href="#/" onClick={event => { event.preventDefault(); openDatabase(null); }}>{known?.root_name ?? 'notesdb'}</a>
        {isReadOnly.value && known && <span class="badge">read-only</span>}
      </div>
      <button class="search-button" onClick={() => { isPaletteOpen.value = true; }}><Icon name="search" /><span class="grow">Search</span><kbd>Ctrl K</kbd></button>
      <ul class="databases">
        {known?.databases.map(one => (
          <li key={one.id}>
            <a href={`#/${one.id}`} aria-current={address.value.database === one.id ? 'page' : undefined} title={one.description ?? one.id}
              onClick={event => { if (event.ctrlKey || event.metaKey) return; event.preventDefault(); openDatabase(one.id); }}>
              <span class="grow clip">{one.name}</span>
              {one.issue_count > 0 && <span class="issue-count" title={`${one.issue_count} issues; see them with: notesdb check ${one.id}`}>{one.issue_count}<span class="sr"> issues</span></span>}
              <span class="count">{one.row_count.toLocaleString('en')}</span>
            </a>
          </li>
        ))}
      </ul>
      {known?.databases.length === 0 && <p class="faint pad">No database here yet. Make one from a folder of notes: <code>notesdb infer FOLDER --write</code></p>}
      <span class="grow" />
      <div class="sidebar-foot">
        <Menu label="settings of this browser" choices={() => [
          ...themes.map(one => ({ label: `Colours: ${one}`, chosen: theme === one, run: () => prefer({ theme: one }) })),
          ...(['compact', 'normal', 'roomy'] as const).map((one, i) => ({ label: `Rows: ${one}`, separated: i === 0, chosen: preferences.value.density === one, run: () => prefer({ density: one }) })),
        ]}>Appearance</Menu>
        <span class="grow" />
        <button class="quiet" onClick={() => { isHelpOpen.value = true; }} title="Keys (?)">Keys</button>
        <a class="quiet" href="/licenses" target="_blank" rel="noopener">Licenses</a>
      </div>
    </nav>
  );
}
