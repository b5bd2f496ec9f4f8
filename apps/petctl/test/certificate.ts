import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { scratch } from './petctl.ts';

const openssl = 'openssl';
/** Whether this machine cannot make certificates. */
export const hasNoCertificates = skips('TLS through a proxy', missingProgram(openssl, ['version']), 'openssl');

/** A key and a certificate for a host that nobody else vouches for. */
export function certify(host: string): { key: string; certificate: string } {
  const [key, certificate] = [join(scratch, 'key.pem'), join(scratch, 'certificate.pem')];
  const kind = '-x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1'.split(' ');
  const about = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  execFileSync(openssl, ['req', ...kind, ...about, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { key, certificate };
}
