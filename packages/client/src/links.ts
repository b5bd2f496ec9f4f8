import { exactJson } from '@petstore/types';
import type { Success } from './call.ts';
import { UnexpectedResponseError } from './errors.ts';

/** The address that a reference leads to; an empty string if it leads nowhere. */
export function resolvedAddress(reference: string, base: string | undefined): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : '';
}

/**
 * The address that a server's reference leads to, if it has the origin of the request; otherwise
 * undefined, because the API key must not leave the origin.
 */
export function addressWithin(url: string, reference: string): string | undefined {
  const target = resolvedAddress(reference, url);
  // Comparing origins would not do: an address with a user, or with `blob:`, may have the same
  // origin, but fetch rejects it.
  return target.startsWith(new URL('/', url).href) ? target : undefined;
}

/** Whether the service links to a next page. Throws if a browser hides the header `Link`. */
export function hasNextPage(page: Success<unknown>): boolean {
  const { headers, type } = page.response;
  if (nextTarget(headers) !== undefined) return true;
  // Every response of the service has this header. If it is missing, the browser hides headers.
  if (type === 'cors' && headers.get('x-request-id') === null)
    throw linkError(page, 'another page may follow: CORS must expose Link and X-Request-Id');
  return false;
}

/** The address of the next page. Throws if the client must not follow it. */
export function nextUrl(page: Success<unknown>, cycle: CycleDetector): string {
  const { response, url } = page;
  const next = addressWithin(url, nextTarget(response.headers) ?? '');
  if (next === undefined) throw linkError(page, 'the next page has another origin');
  if (cycle.leadsBack(next)) throw linkError(page, 'the next page was read before');
  return next;
}

/**
 * Notices pages that lead back to an earlier one, by Brent's algorithm: it remembers only one
 * address, and replaces it by a later one each time that the number of pages has doubled. Of the
 * pages a b c d b c d, it remembers a, then b, then d, and notices the second d.
 */
export class CycleDetector {
  #remembered = '';
  #count = 0;
  #countToRemember = 1;

  /** Whether the page at this address was read before. A cycle is noticed within three rounds. */
  leadsBack(address: string): boolean {
    if (address === this.#remembered) return true;
    this.#count++;
    if (this.#count === this.#countToRemember) {
      this.#remembered = address;
      this.#countToRemember *= 2;
    }
    return false;
  }
}

/** The target of the header `Link` with `rel="next"` (RFC 8288); undefined without one. */
function nextTarget(headers: Headers): string | undefined {
  const [, ...links] = (headers.get('link') ?? '').split('<');
  for (const link of links) {
    const end = link.indexOf('>');
    const parameters = link.slice(end + 1).split(/[;,]/);
    if (parameters.some(isNext)) return link.slice(0, end);
  }
  return undefined;
}

/**
 * Whether a parameter is `rel` with `next` among its relations: `rel=next` or `rel="last next"`.
 */
function isNext(parameter: string): boolean {
  const [name = '', value = ''] = parameter.toLowerCase().split('=');
  if (name.trim() !== 'rel') return false;
  return value.split(/[\s"]+/).includes('next');
}

function linkError({ response, data }: Success<unknown>, problem: string): UnexpectedResponseError {
  return new UnexpectedResponseError(response, exactJson(data), problem);
}
