// Sidebar: the databases of the workspace, how many rows each has and where something is wrong.
import { address, openCheck, openDatabase } from '../state/address';
import { isDrawerOpen, preferences, prefer, toggleSidebar, type Theme } from '../state/preferences';
import { isReadOnly, workspace } from '../state/workspace';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/Menu';
import { chooseFile } from './drop';
import { isCreating, isHelpOpen, isInferring, isPaletteOpen } from './overlays';

const themes: Theme[] = ['system', 'light', 'dark'];

// `recipes/content` is called content, in recipes.
const folderOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('/')));

export function SidebarToggle() {
  return <button class="quiet" aria-label="databases" title="Databases" onClick={toggleSidebar}><Icon name="side" /></button>;
}

export function Sidebar() {
  const open = (database: string | null) => { isDrawerOpen.value = false; openDatabase(database); };
  const known = workspace.value;
  const { theme } = preferences.value;
  return (
    <nav class="sidebar" aria-label="databases">
      <div class="sidebar-head">
        <a class="workspace-name" href="#/" onClick={event => { event.preventDefault(); open(null); }}>{known?.root_name ?? 'notesdb'}</a>
        {isReadOnly.value && known && <span class="badge">read-only</span>}
      </div>
      <button class="search-button" onClick={() => { isPaletteOpen.value = true; }}><Icon name="search" /><span class="grow">Search</span><kbd>Ctrl K</kbd></button>
      <ul class="databases">
        {known?.databases.map(one => (
          <li key={one.id}>
            <a href={`#/${one.id}`} aria-current={address.value.database === one.id ? 'page' : undefined} title={one.description ?? one.id}
              onClick={event => { if (event.ctrlKey || event.metaKey) return; event.preventDefault(); open(one.id); }}>
              <span class="grow clip">{one.name}{folderOf(one.id) && <span class="faint"> {folderOf(one.id)}</span>}</span>
              <span class="count">{one.row_count.toLocaleString('en')}</span>
            </a>
            {one.issue_count > 0 && <button class="issue-count" title={`${one.issue_count} ${one.issue_count === 1 ? 'issue' : 'issues'}: see what is wrong`} onClick={() => { isDrawerOpen.value = false; openCheck(one.id); }}>{one.issue_count}<span class="sr"> {one.issue_count === 1 ? 'issue' : 'issues'} in {one.name}</span></button>}
          </li>
        ))}
      </ul>
      {known && !known.read_only && (
        <Menu label="new database" class="quiet new-database" choices={[
          { label: 'By hand', run: () => { isCreating.value = true; } },
          { label: 'From a folder of notes', run: () => { isInferring.value = true; } },
          { label: 'From a file (CSV, JSON)', run: chooseFile },
        ]}><Icon name="plus" />New database</Menu>
      )}
      <span class="grow" />
      <div class="sidebar-foot">
        <Menu label="Appearance" choices={() => [
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
