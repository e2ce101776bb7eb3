// The P-Chain's answers as a node writes them: numbers are strings, instants Unix seconds. What comes from the wire may be anything.

/** Who gets what is paid out. */
export interface WireOwner {
  readonly locktime: string;
  readonly threshold: string;
  readonly addresses: readonly string[];
}

/** Of the Primary Network. */
interface WireStaker {
  readonly txID: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly weight: string;
  readonly nodeID: string;
  readonly potentialReward: string;
}

export interface WireDelegator extends WireStaker {
  readonly rewardOwner: WireOwner;
}

export interface WirePrimaryValidator extends WireStaker {
  readonly validationRewardOwner: WireOwner;
  readonly delegationRewardOwner: WireOwner;
  readonly accruedDelegateeReward: string;
  readonly delegationFee: string;
  readonly uptime: string;
  readonly connected: boolean;
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: string };
  readonly delegatorCount: string;
  readonly delegatorWeight: string;
  /** Only where one NodeID was asked for. */
  readonly delegators?: readonly WireDelegator[];
}

export interface WireL1Validator {
  readonly nodeID: string;
  readonly weight: string;
  readonly startTime: string;
  readonly validationID: string;
  readonly publicKey: string;
  readonly remainingBalanceOwner: WireOwner;
  readonly deactivationOwner: WireOwner;
  readonly minNonce: string;
  readonly balance: string;
}

export interface WireL1Record extends WireL1Validator {
  readonly subnetID: string;
  /** Of the last accepted block of the P-Chain. */
  readonly height: string;
}

export type WireValidator = WirePrimaryValidator | WireL1Validator;

export interface WireBlockchain {
  readonly id: string;
  readonly name: string;
  readonly subnetID: string;
  readonly vmID: string;
}

/** Either member in nAVAX. */
export interface WireMinStake {
  readonly minValidatorStake: string;
  readonly minDelegatorStake: string;
}

/** `supply` in nAVAX, at the height. */
export interface WireSupply {
  readonly supply: string;
  readonly height: string;
}

/** Of the fee of transactions: `capacity` and `excess` in gas, `price` in nAVAX for each of it. */
export interface WireFeeState {
  readonly capacity: number;
  readonly excess: number;
  readonly price: number;
  readonly timestamp: string;
}

/** Ids are all zeros, and `managerAddress` null, unless the subnet was transformed or is an L1. */
export interface WireSubnet {
  readonly isPermissioned: boolean;
  readonly controlKeys: readonly string[];
  readonly threshold: string;
  readonly locktime: string;
  readonly subnetTransformationTxID: string;
  readonly conversionID: string;
  readonly managerChainID: string;
  /** Hexadecimal, of a contract of that chain. */
  readonly managerAddress: string | null;
}
