/**
 * The addresses that a DATABASE_URL names, one for each of its hosts: `postgres://user:password@one:5432,two/database?sslmode=…`.
 * Nothing where it is no such address. It may hold a password, so nobody may write it anywhere, errors included.
 */
export function databaseAddresses(url: string): string[] | undefined {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)([/?][^#]*)?$/.exec(url) ?? [];
  if (start === undefined || hosts === undefined) return undefined;
  const addresses = hosts.split(',').map((host) => `${start}${host}${rest ?? ''}`);
  // Without a host the socket of this machine is meant, or the one that the query names.
  const isOne = (address: string) => URL.canParse(address.replace('@/', '@local/').replace(':///', '://local/'));
  return addresses.every(isOne) ? addresses : undefined;
}

/** The host of an address for messages: its name and port, no credentials. */
export function hostOf(address: string): string {
  return address.replace(/^[^:]+:\/\/(?:[^@/?#]*@)?([^/?]*).*$/s, '$1') || 'the local socket';
}
