// Check: everything that is wrong in the files, with its place, and what can be fixed with certainty.
import { useEffect, useState } from 'preact/hooks';
import { onLive } from '../api/events';
import { call, messageOf } from '../api/server';
import type { CheckAnswer, FixedField, Issue } from '../api/types';
import { address, hrefOf, openDatabase } from '../state/address';
import { fixFiles } from '../state/edits';
import { countOf, isReadOnly, rowOfPath, workspace } from '../state/workspace';
import { SidebarToggle } from './Sidebar';

const settleMs = 400;

export function useCheck(database: string | null, paths?: string[]): { answer: CheckAnswer | null; problem: string } {
  const [answer, setAnswer] = useState<CheckAnswer | null>(null);
  const [problem, setProblem] = useState('');
  const [epoch, setEpoch] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLive(() => { clearTimeout(timer); timer = setTimeout(() => setEpoch(old => old + 1), settleMs); });
    return () => { clearTimeout(timer); stop(); };
  }, []);
  const wanted = paths?.join('\n');
  useEffect(() => {
    if (wanted === '') return setAnswer(null);
    const stop = new AbortController();
    call<CheckAnswer>('db_check', { ...(database ? { database_id: database } : {}), ...(paths ? { paths } : {}) }, stop.signal)
      .then(found => { setAnswer(found); setProblem(''); }, refused => { if (!stop.signal.aborted) setProblem(messageOf(refused)); });
    return () => stop.abort();
  }, [database, wanted, epoch]);
  return { answer, problem };
}

// What a fix does to its line.
export function Fixes({ path, fixes }: { path: string; fixes: FixedField[] }) {
  if (!fixes.length || isReadOnly.value) return null;
  return (
    <div class="fixes">
      {fixes.map(fix => (
        <div key={fix.line} class="fix mono"><span class="faint">{fix.line}</span><span class="fix-lines"><del>{fix.before}</del>{fix.after ? <ins>{fix.after}</ins> : <span class="faint">(removed)</span>}</span></div>
      ))}
      <button onClick={() => void fixFiles([path])}>{fixes.length === 1 ? 'Fix this line' : `Fix these ${fixes.length} lines`}</button>
    </div>
  );
}

export function IssueLine({ issue }: { issue: Issue }) {
  return (
    <p class={`issue ${issue.severity}`}>
      <span class="mono">{issue.line ? `${issue.line}:${issue.column ?? 1}` : issue.path}</span> <span>{issue.severity}: {issue.message}</span> <span class="faint">[{issue.rule}]</span>
    </p>
  );
}

function File({ path, issues, fixes }: { path: string; issues: Issue[]; fixes: FixedField[] }) {
  const row = rowOfPath(path);
  return (
    <section class="checked-file">
      <h2 class="mono">{row ? <a href={hrefOf(row.database, row.row)}>{path}</a> : path}</h2>
      {issues.map((issue, i) => <IssueLine key={i} issue={issue} />)}
      <Fixes path={path} fixes={fixes} />
    </section>
  );
}

export function Check() {
  const { database } = address.value;
  const { answer, problem } = useCheck(database);
  const paths = [...new Set(answer?.issues.map(issue => issue.path))];
  const fixable = [...new Set(answer?.fixes?.map(fix => fix.path))];
  const errors = answer?.issues.filter(issue => issue.severity === 'error').length ?? 0;
  const name = workspace.value?.databases.find(one => one.id === database)?.name;
  return (
    <div class="page checking">
      <header class="page-head">
        <SidebarToggle />
        <h1>What is wrong{name ? ` in ${name}` : ''}</h1><span class="grow" />
        {database && <button onClick={() => openDatabase(database)}>Show the rows</button>}
        {fixable.length > 1 && !isReadOnly.value && <button class="primary" onClick={() => void fixFiles(fixable)}>Fix all {countOf(fixable.length, 'file')} that can be</button>}
      </header>
      {problem && <p class="wrong-text" role="alert">{problem}</p>}
      {!answer && !problem && <p class="faint" role="status">Reading the files</p>}
      {answer && <p class="faint" role="status">{answer.issues.length ? `${countOf(errors, 'error')}, ${countOf(answer.issues.length - errors, 'warning')} in ${countOf(paths.length, 'file')}` : `Nothing is wrong in ${countOf(answer.databases, 'database')}`}. At the command line: <code>notesdb check{database ? ` ${database}` : ''}</code></p>}
      {paths.map(path => (
        <File key={path} path={path} issues={answer!.issues.filter(issue => issue.path === path)} fixes={answer!.fixes?.filter(fix => fix.path === path) ?? []} />
      ))}
    </div>
  );
}
