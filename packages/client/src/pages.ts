import type { Answer } from './connection.ts';

/** Where the page behind this one is: the target of `Link` with `rel="next"` (RFC 8288), as it was written. */
export function nextPage({ headers }: Answer): string | undefined {
  for (const link of (headers.get('link') ?? '').split('<').slice(1)) {
    const end = link.indexOf('>');
    if (end >= 0 && relationsOf(link.slice(end + 1)).includes('next')) return link.slice(0, end);
  }
  return undefined;
}

/** The relations that the parameters of a link name. */
function relationsOf(parameters: string): string[] {
  const found = /;\s*rel\s*=\s*(?:"([^"]*)|([^\s";,]*))/i.exec(parameters);
  return (found?.[1] ?? found?.[2] ?? '').toLowerCase().split(/\s+/);
}
