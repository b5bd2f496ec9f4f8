import { exactJson } from '@petstore/types';
import { addressWithin } from './addresses.ts';
import type { Success } from './call.ts';
import { UnexpectedResponseError } from './errors.ts';

/**
 * Whether the service links to a next page. Throws where a browser hides the header that says so.
 */
export function hasNextPage(page: Success<unknown>): boolean {
  const { headers, type } = page.response;
  if (nextTarget(headers) !== undefined) return true;
  // The service identifies every response, so a response without an identifier has hidden headers.
  if (type === 'cors' && headers.get('x-request-id') === null)
    throw errorOf(page, 'more may follow: the service has to expose Link and X-Request-Id');
  return false;
}

/** The address of the next page. Throws if it cannot be followed. */
export function nextUrl(page: Success<unknown>, cycle: CycleDetector): string {
  const { response, url } = page;
  const next = addressWithin(url, nextTarget(response.headers) ?? '');
  if (next === undefined) throw errorOf(page, 'the next page is not at the same origin');
  if (cycle.leadsBack(next)) throw errorOf(page, 'the next page was read before');
  return next;
}

/**
 * Notices pages that lead back to an earlier one, by Brent's algorithm: it remembers only one
 * address, and replaces it by a later one each time that the number of pages has doubled. Of the
 * pages a b c d b c d, it remembers a and then c, and notices the second c.
 */
export class CycleDetector {
  #remembered = '';
  #steps = 0;
  #stepsToRemember = 1;

  /** Whether this page was read before. It takes at most three rounds to notice. */
  leadsBack(address: string): boolean {
    if (address === this.#remembered) return true;
    this.#steps++;
    if (this.#steps === this.#stepsToRemember) {
      this.#remembered = address;
      this.#steps = 0;
      this.#stepsToRemember *= 2;
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
  return value
    .trim()
    .split(/[\s"]+/)
    .includes('next');
}

function errorOf({ response, data }: Success<unknown>, problem: string): UnexpectedResponseError {
  return new UnexpectedResponseError(response, exactJson(data), problem);
}
