/** A planted fault is found by the first case that fails: to make that small would take most of the time. */
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
