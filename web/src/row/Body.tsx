// Body: the text of a row. It saves itself when the typing pauses; what others write meanwhile is laid
// together with it, and where both changed the same line both are shown.
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/server';
import type { WholeRow } from '../api/types';
import { Clash, saveRow } from '../state/edits';
import { isReadOnly } from '../state/workspace';
import { mergeTexts } from './merge';
import { Preview } from './Preview';
import { TextEditor } from './TextEditor';

const pauseMs = 900;

interface Draft {
  text: string;
  base: WholeRow;   // what it began from
}

const draftKey = (database: string, id: string) => `notesdb-draft:${database}/${id}`;

// What was typed and not yet saved outlives the page.
function storedDraft(database: string, row: WholeRow): Draft | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(draftKey(database, row.id)) ?? 'null') as { text: string; baseBody: string; etag: string } | null;
    return stored && stored.text !== row.body ? { text: stored.text, base: { ...row, body: stored.baseBody, etag: stored.etag } } : null;
  } catch {
    return null;
  }
}

interface Props {
  database: string;
  row: WholeRow;
  onSaved: (row: WholeRow) => void;
}

export function Body({ database, row, onSaved }: Props) {
  const [draft, setDraft] = useState<Draft | null>(() => storedDraft(database, row));
  const [state, setState] = useState<'saved' | 'saving' | 'waiting'>('saved');
  const [problem, setProblem] = useState('');
  const [clash, setClash] = useState<Clash | null>(null);
  const [isPreview, setPreview] = useState(false);
  const give = useRef<((text: string) => void) | null>(null);   // to the editor, at once: nothing typed later is undone
  const latest = useRef<Draft | null>(draft);
  const saving = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isClashing = useRef(false);
  latest.current = draft;
  isClashing.current = clash !== null;

  const keepDraft = (next: Draft | null) => {
    latest.current = next;
    setDraft(next);
    if (next) sessionStorage.setItem(draftKey(database, row.id), JSON.stringify({ text: next.text, baseBody: next.base.body, etag: next.base.etag }));
    else sessionStorage.removeItem(draftKey(database, row.id));
  };

  // What is typed while a save is under way begins from what was saved.
  const settle = (sent: string, saved: WholeRow) => {
    const now = latest.current;
    keepDraft(now && now.text !== sent ? { text: now.text, base: { ...saved, body: sent } } : null);
    setState('saved');
    setProblem('');
    onSaved(saved);
  };

  const save = async () => {
    clearTimeout(timer.current);
    const now = latest.current;
    if (!now || saving.current || isClashing.current) return;
    if (now.text === now.base.body) return keepDraft(null);
    saving.current = true;
    setState('saving');
    try {
      settle(now.text, await saveRow(database, now.base, { body: now.text }));
    } catch (refused) {
      if (refused instanceof Clash && latest.current) {
        const merged = mergeTexts(now.base.body, latest.current.text, refused.row.body);
        if (merged !== null) {
          keepDraft({ text: merged, base: refused.row });
          give.current?.(merged);
          timer.current = setTimeout(() => void save(), pauseMs);
        } else {
          isClashing.current = true;
          setClash(refused);
        }
      } else {
        setProblem(messageOf(refused));
      }
      setState('waiting');
    } finally {
      saving.current = false;
    }
    if (latest.current && !isClashing.current) timer.current = setTimeout(() => void save(), pauseMs);
  };

  useEffect(() => () => { void save(); }, []);
  useEffect(() => { if (!latest.current) give.current?.(row.body); }, [row.body]);

  const type = (text: string) => {
    keepDraft({ text, base: latest.current?.base ?? row });
    setState('waiting');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void save(), pauseMs);
  };
  const resolve = (text: string) => {
    const theirs = clash!.row;
    isClashing.current = false;
    setClash(null);
    keepDraft({ text, base: theirs });
    give.current?.(text);
    void save();
  };
  const text = draft?.text ?? row.body;
  const word = problem ? '' : state === 'saving' ? 'saving' : draft && state === 'waiting' ? 'not saved yet' : '';
  return (
    <section class="body" aria-label="body">
      <div class="section-head">
        <h3>Text</h3><span class="faint" role="status">{word}</span><span class="grow" />
        <button class="quiet small" aria-pressed={isPreview} onClick={() => { void save(); setPreview(!isPreview); }}>{isPreview ? 'Edit' : 'Preview'}</button>
      </div>
      {problem && <p class="wrong-text" role="alert">{problem}</p>}
      {clash && (
        <div class="clash" role="alert">
          <p>Somebody else changed the same lines. Nothing is lost: choose one, or edit below and write that.</p>
          <div class="clash-three">
            <figure><figcaption>before</figcaption><pre>{latest.current?.base.body}</pre></figure>
            <figure><figcaption>theirs</figcaption><pre>{clash.row.body}</pre></figure>
            <figure><figcaption>yours</figcaption><pre>{text}</pre></figure>
          </div>
          <div class="buttons">
            <button class="primary" onClick={() => resolve(text)}>Write mine</button>
            <button onClick={() => { setClash(null); keepDraft(null); give.current?.(clash.row.body); onSaved(clash.row); }}>Keep theirs</button>
            <button onClick={() => resolve(`${clash.row.body}\n${text}`)}>Keep both, one after the other</button>
          </div>
        </div>
      )}
      {isPreview ? <Preview text={text} database={database} id={row.id} /> : (
        <TextEditor text={text} giver={give} isReadOnly={isReadOnly.value} onType={type} onSave={() => void save()} onLeave={() => void save()} />
      )}
    </section>
  );
}
