// Preview: Markdown as it reads. What makes it is fetched when somebody looks.
import { useEffect, useRef } from 'preact/hooks';

export function Preview({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isWanted = true;
    void import('./markdown').then(({ fragmentOf }) => {
      if (isWanted) place.current?.replaceChildren(fragmentOf(text));
    });
    return () => { isWanted = false; };
  }, [text]);
  return <div ref={place} class="preview" />;
}
