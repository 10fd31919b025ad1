/**
 * What an application of Apache Spark allocates, and what of it lives on: one recording per executor and driver, with the stage of each
 * stack.
 */
package io.mayfly.spark;
