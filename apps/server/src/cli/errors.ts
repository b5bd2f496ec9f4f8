import { CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { KeyNameError, KeysFileError } from '../keys/errors.ts';
import { StoreDamagedError, StoreFolderError, StoreLockedError, StoreUnavailableError } from '../store/errors.ts';
import { WorkerStartError } from '../workers/team.ts';
import { ImportError } from './import-documents.ts';

/** The command line makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Errors whose message says all that there is to say. */
const explained = [
  ConfigError,
  UsageError,
  ImportError,
  KeyNameError,
  KeysFileError,
  StoreDamagedError,
  StoreFolderError,
  StoreLockedError,
  StoreUnavailableError,
  WorkerStartError,
];

/** The line that tells of an error; nothing where there is nothing to tell, as after --help. */
export function sentence(error: unknown): string | undefined {
  if (error instanceof CommanderError) return usage(error);
  if (!(error instanceof Error)) return String(error);
  if (explained.some((kind) => error instanceof kind)) return error.message;
  const calledByListen = 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall));
  return (calledByListen && listening(error)) || error.stack || error.message;
}

function usage({ code, message }: CommanderError): string | undefined {
  if (/^commander\.(help|helpDisplayed|version)$/.test(code)) return undefined;
  // An argument too many may be a key, by mistake, as may be what was given to a flag that there is not.
  if (code === 'commander.excessArguments') return 'too many arguments; --help shows what is expected.';
  const line = message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/(unknown option '[^'=]*)=.*'/, "$1'");
  return /^unknown option '--?(api-?)?keys?'/.test(line)
    ? `${line}; keys come from PETSTORE_API_KEYS in the environment, or from 'keys create'.`
    : line;
}

/** What the system says when it lets nobody listen there. */
function listening(error: Error): string | undefined {
  const { code, address, port, hostname }: Record<string, unknown> = { ...error };
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${address} is taken; choose another one with PORT=${portBeside(Number(port))} npm start.`;
    case 'EACCES':
      return `port ${port} on ${address} is not for this user; choose one from 1024 on with PORT=8080 npm start.`;
    case 'EADDRNOTAVAIL':
      return `${address} is not an address of this machine; choose another one with HOST or --host.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${hostname} is not a name of this machine; choose another one with HOST or --host.`;
    default:
      return undefined;
  }
}

const portBeside = (port: number) => (port < 65_535 ? port + 1 : port - 1);
