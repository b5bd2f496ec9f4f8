import { Agent, request as open } from 'node:http';
import type { Send } from './preparation.ts';

/** A server that does not answer is a finding, not a check that never ends. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Sends requests to an address over connections that are used again: a third of the work of fetch. */
export function sender(address: string): { send: Send; close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const send: Send = ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      const sent = open(address + target, { method, headers, agent, signal }, (response) => {
        const chunks: Uint8Array[] = [];
        response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, rawHeaders } = response;
          const received = new Headers();
          for (let i = 0; i < rawHeaders.length; i += 2) received.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '');
          const content = [204, 205, 304].includes(status) ? null : Buffer.concat(chunks);
          resolve(new Response(content, { status, headers: received }));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}
