import type { IncomingMessage } from 'node:http';
import { CliError, UsageError } from './errors.ts';
import { codeOf } from './text.ts';

/** More than any page has. */
const MAX_MIB = 256;

/** `fetch` over node:http, because Node's own takes longer to load than all of petctl. It knows what the client needs. */
export async function fetchOverHttp(address: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(String(address));
  // Only the module in use is loaded.
  const { request, Agent } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const agent = agentFor(url.origin, Agent);
  const { method = 'GET', headers, body, signal } = init;
  const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent,
      headers: { ...(headers as Record<string, string>), ...length },
      ...(signal && { signal }),
    });
    sent.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    sent.on('response', (message) => resolve(responseOf(message)));
    sent.end(body);
  });
}

/** Whether the environment names proxies. */
export function usesProxy(env = process.env): boolean {
  return Object.keys(env).some((name) => /^https?_proxy$/i.test(name) && env[name]);
}

const agents = new Map<string, InstanceType<typeof import('node:http').Agent>>();

function agentFor(origin: string, Agent: typeof import('node:http').Agent) {
  if (usesProxy() && !process.allowedNodeEnvironmentFlags.has('--use-env-proxy'))
    throw new UsageError(
      `Node ${process.versions.node} has no proxies.`,
      'Use Node 22.21 or later, or unset http_proxy.',
    );
  const agent = agents.get(origin) ?? newAgent(Agent);
  agents.set(origin, agent);
  return agent;
}

function newAgent(Agent: typeof import('node:http').Agent) {
  try {
    return new Agent({ keepAlive: true, proxyEnv: process.env });
  } catch (error) {
    throw new UsageError(
      `The proxy of the environment is invalid (${codeOf(error)}).`,
      'Fix http_proxy or https_proxy.',
    );
  }
}

/** A response with the members that the client uses: Node's own class would load all of fetch. */
function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message;
  const all = new Map(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
  // What writes headers is missing: nobody writes those of a response.
  const headers = {
    get: (name: string) => all.get(name.toLowerCase()) ?? null,
    has: (name: string) => all.has(name.toLowerCase()),
    entries: () => all.entries(),
    [Symbol.iterator]: () => all.entries(),
  };
  const text = () => textOf(message);
  return { status, statusText, headers: headers as unknown as Headers, body: null, text } as Response;
}

function textOf(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: string[] = [];
    let length = 0;
    message.setEncoding('utf8');
    message.on('data', (part: string) => {
      parts.push(part);
      length += part.length;
      if (length > MAX_MIB * 2 ** 20)
        message.destroy(
          new CliError('failed', `The response has more than ${MAX_MIB} MiB.`, { hint: 'Check --base-url.' }),
        );
    });
    message.on('end', () => resolve(parts.join('').replace(/^\ufeff/, '')));
    message.on('error', reject);
  });
}
