// The page of notesdb: it looks at a workspace through the tools of its server and holds none of it.
import { render } from 'preact';
import { followChanges } from './api/events';
import { takeTokenFromAddress } from './api/server';
import { followWorkspace, loadWorkspace } from './state/workspace';
import './style.css';
import { App } from './workspace/App';
import { followDrops } from './workspace/drop';
import { followKeys } from './workspace/keys';

takeTokenFromAddress();
followKeys();
followDrops();
followWorkspace();
void loadWorkspace();
render(<App />, document.getElementById('page')!);
followChanges();
