import { deployments } from '@petstore/types';
import type { Environment } from './context.ts';
import { UsageError } from './errors.ts';
import { addressInEnvironment, type Settings } from './settings.ts';

/** The service that a command calls. */
export interface Target {
  /** Its address: origin and path, without a slash at the end. */
  readonly baseUrl: string;
  /** The address that the key in the environment is for: the one beside it there, if any. */
  readonly variableKeyFor: string;
}

/** The target of a command: that of its flags, else of the environment, else of the last login, else the first deployment. */
export function targetOf(
  settings: Settings,
  env: Environment,
  ofLastLogin: () => string | undefined,
): Target {
  const { baseUrl, deployment } = settings;
  const isSameSource = settings.isFlag('baseUrl') === settings.isFlag('deployment');
  if (baseUrl !== undefined && deployment !== undefined && isSameSource)
    throw new UsageError(
      'The base URL and the deployment both say where the service is.',
      'Set only one of them.',
    );
  const named = deployment && deployments[deployment];
  const given = settings.isFlag('deployment') ? (named ?? baseUrl) : (baseUrl ?? named);
  const address = parseAddress(given ?? ofLastLogin() ?? firstDeployment);
  const inEnvironment = addressInEnvironment(env);
  return {
    baseUrl: address,
    variableKeyFor: inEnvironment === undefined ? address : parseAddress(inEnvironment),
  };
}

const [firstDeployment] = Object.values(deployments) as [string];

/** The address without slashes at its end. Throws without quoting it, because it may contain a password. */
function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isHttp && !url.username && !url.password && !url.search && !url.hash)
    return (url.origin + url.pathname).replace(/\/+$/, '');
  throw new UsageError(
    'The base URL is invalid.',
    `Use one such as ${firstDeployment}, without a user or a query.`,
  );
}
