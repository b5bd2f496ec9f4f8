import * as client from '@petstore/client';
import * as check from '@petstore/client/check';
import * as types from '@petstore/types';
import { roundTrip } from './round-trip.js';

console.log(JSON.stringify(await roundTrip(client, check, types, process.argv.slice(2))));
