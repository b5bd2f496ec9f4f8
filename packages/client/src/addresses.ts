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
  // Not `origin`: an address with a user, or with `blob:`, has the same one, but fetch rejects it.
  return target.startsWith(new URL('/', url).href) ? target : undefined;
}
