import { isDeep } from '@petstore/testing';
import { describe } from 'vitest';
import { finds } from './checking.ts';
import { plantedInServer } from './planted-server.ts';

// The quick run takes every twentieth: each starts two servers.
describe('the check finds', () => finds(plantedInServer.filter((_, i) => isDeep || i % 20 === 0)));
