// TextEditor: the text of a row, to be typed in. It can be read before the editor has been fetched.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TextHandlers, TextView } from './codemirror';

interface Props extends TextHandlers {
  text: string;
  isReadOnly: boolean;
}

export function TextEditor({ text, isReadOnly, ...handlers }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<TextView | null>(null);
  const latest = useRef({ text, handlers });
  const [isReady, setReady] = useState(false);
  latest.current = { text, handlers };
  useEffect(() => {
    let isWanted = true;
    void import('./codemirror').then(({ TextView }) => {
      if (!isWanted) return;
      view.current = new TextView(place.current!, latest.current.text, isReadOnly, {
        onType: typed => latest.current.handlers.onType(typed),
        onSave: () => latest.current.handlers.onSave(),
        onLeave: () => latest.current.handlers.onLeave(),
      });
      setReady(true);
    });
    return () => { isWanted = false; view.current?.close(); view.current = null; };
  }, []);
  useEffect(() => view.current?.give(text), [text]);
  return (
    <>
      {!isReady && <div class="body-text">{text}</div>}
      <div ref={place} class="body-editor" />
    </>
  );
}
