import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { scratch } from './petctl.ts';
import { available } from './terminal.ts';

const openssl = 'openssl';
export const canCertify = available(openssl, ['version'], false);

/** A key and a certificate for a host that nobody else vouches for. */
export function certify(host: string): { key: string; certificate: string } {
  const [key, certificate] = [join(scratch, 'key.pem'), join(scratch, 'certificate.pem')];
  const kind = '-x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' ');
  const about = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  execFileSync(openssl, ['req', ...kind, ...about, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { key, certificate };
}
