/**
 * A request's target written plainly (RFC 9110 4.2.3, RFC 9112 3.2.2): without scheme and host, and with letters, digits
 * and `-._~` as themselves where they were percent-encoded for no reason.
 */
export function plainTarget(target: string): string {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  if (!local.includes('%')) return local;
  return local.replace(/%([0-9A-Fa-f]{2})/g, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped;
  });
}
