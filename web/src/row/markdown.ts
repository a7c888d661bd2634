// Markdown as a fragment that can do nothing: raw HTML stays text, and what is left is purified.
import createPurifier from 'dompurify';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { isSafeLink } from '../cell/values';
import { hrefOf } from '../state/address';
import { rowOfPath } from '../state/workspace';

const purifier = createPurifier(window);

// Pictures would be fetched from elsewhere: they are shown as links. What is no web address is text.
purifier.addHook('afterSanitizeAttributes', node => {
  if (!(node instanceof Element)) return;
  if (node instanceof HTMLImageElement) {
    const link = document.createElement('a');
    link.textContent = node.alt || node.getAttribute('src') || 'picture';
    const source = node.getAttribute('src') ?? '';
    if (isSafeLink(source)) link.href = source;
    node.replaceWith(link);
  }
  if (node instanceof HTMLInputElement) node.setAttribute('aria-label', node.parentElement?.textContent?.trim() || 'task');
  if (node instanceof HTMLAnchorElement) {
    const href = node.getAttribute('href') ?? '';
    const row = rowBehind(href);
    if (row) {
      node.setAttribute('href', hrefOf(row.database, row.row));
      return;
    }
    if (!isSafeLink(href)) node.removeAttribute('href');
    node.target = '_blank';
    node.rel = 'noopener noreferrer';
  }
});

// The note whose text is shown: links are written as seen from it.
let shownNote = '';

function rowBehind(href: string): ReturnType<typeof rowOfPath> {
  if (!/\.md(#.*)?$/.test(href) || /^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  try {
    return rowOfPath(decodeURIComponent(new URL(href, `file:///${encodeURI(shownNote)}`).pathname.slice(1)));
  } catch {
    return null;
  }
}

// `note`: its path without the ending.
export function fragmentOf(text: string, note: string): DocumentFragment {
  shownNote = note;
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: ['style', 'form', 'iframe', 'svg', 'math', 'video', 'audio'],
    FORBID_ATTR: ['style', 'id', 'name', 'class'],
  });
}
