// Generated from spec/openapi.yaml (11ffd0af5681c010) by `npm run generate`. Do not edit.

export type {
  ApiError,
  CategoryId,
  ErrorCode,
  NewPet,
  Pet,
  PetId,
  PetName,
  PetStatus,
} from '@petstore/types';
