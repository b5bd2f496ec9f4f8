import type { Answer } from './connection.ts';

/** Where the page behind this one is: the target of `Link` with `rel="next"` (RFC 8288), as it was written. */
export function nextPage({ headers }: Answer): string | undefined {
  return /<([^>]*)>[^<]*;\s*rel\s*=\s*"?(?:[^"<]*\s)?next(?=["\s;,]|$)/i.exec(headers.get('link') ?? '')?.[1];
}
