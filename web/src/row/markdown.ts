// Markdown as a fragment that can do nothing: raw HTML stays text, and what is left is purified.
import createPurifier from 'dompurify';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { isSafeLink } from '../cell/values';

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
  if (node instanceof HTMLAnchorElement) {
    if (!isSafeLink(node.getAttribute('href') ?? '')) node.removeAttribute('href');
    node.target = '_blank';
    node.rel = 'noopener noreferrer';
  }
});

export function fragmentOf(text: string): DocumentFragment {
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: ['style', 'form', 'iframe', 'svg', 'math', 'video', 'audio'],
    FORBID_ATTR: ['style', 'id', 'name', 'class'],
  });
}
